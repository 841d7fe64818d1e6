"""Set a target or an AZ aside for a while, and take it back."""
