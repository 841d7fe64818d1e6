"""Look whether what the daemons need is there and fit, before they start."""
