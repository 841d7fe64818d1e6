"""What the exit codes of all commands mean; each command's help says when it gives which."""

FINE = 0
FAILED = 1  # or unhealthy: what was asked for is not so
USAGE = 2  # wrong options, or mistakes in the config
REFUSED = 3  # or held: a guard says no, and nothing is broken
PENDING = 4  # changes would be made
