"""Whether a zone, its plan and its name servers say the same."""
