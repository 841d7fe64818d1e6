"""Why an answer is what it is, and what holds a zone."""
