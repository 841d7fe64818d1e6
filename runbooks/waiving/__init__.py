"""Lift one guardrail for the next plan of a zone."""
