"""What an enactor decides, as pure functions."""
