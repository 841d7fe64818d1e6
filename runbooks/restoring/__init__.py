"""`dns-runbook restore`: a plan file into a zone, by Route 53 alone. Fenced, never empty."""
