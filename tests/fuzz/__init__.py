"""Hostile input for all that decodes: our own errors come back, in bounded time and memory."""
