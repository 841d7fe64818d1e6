"""`dns-runbook adopt`: take over a zone as it stands. Not one record but the fence is written."""
