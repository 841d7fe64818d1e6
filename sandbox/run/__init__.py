"""The whole system on one machine, every daemon as a process of its own."""
