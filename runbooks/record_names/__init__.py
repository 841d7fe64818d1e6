"""`dns-runbook export`: a plan as a file of another tool, or as one that `restore` takes."""
