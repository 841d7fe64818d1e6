"""The guards by the room in which they stand, each with the text that takes it away."""
