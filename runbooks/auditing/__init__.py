"""Look through a zone on demand for what others changed in it."""
