"""`dns-runbook retire`: the only way that a managed name ends."""
