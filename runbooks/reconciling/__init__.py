"""`dns-runbook reconcile`: a table that lost history goes on from what the zone holds."""
