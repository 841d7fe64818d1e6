"""`dns-runbook status`: what stands where, for people and for scripts."""
