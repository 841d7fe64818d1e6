"""AWS behind the enactor's ports."""
