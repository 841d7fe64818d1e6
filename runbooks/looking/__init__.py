"""What the commands that only look share: the ports that they read, and a zone's line of plans."""
