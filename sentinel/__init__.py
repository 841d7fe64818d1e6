"""Pages when a managed name answers nothing. It shares nothing with planner, enactors and table."""
