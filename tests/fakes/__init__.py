"""Strict doubles of the ports. Each passes the same contract suite as the real adapter."""
