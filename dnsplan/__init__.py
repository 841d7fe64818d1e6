"""The contract that planner, enactor, sentinel and runbooks share. It decides nothing about AWS."""
