"""A system that repeats October 2025: kept to be shown, imported by nothing but the story."""
