"""What was planned for a zone, by whom and why, and what differs between two plans."""
