"""What the sentinel decides: pure functions of what was heard and when."""
