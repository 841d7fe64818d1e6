"""The one config file: its schema, and how it is read with file, line and key for every mistake."""
