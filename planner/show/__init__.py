"""What `dns-planner plan` and `dns-planner cleanup` print. Pure; it decides nothing."""
