"""What each guard is for, shown by taking it away.

A sabotage rewrites a named expression of the product's source while it is imported; the same world
and the same checkers that judge the product must then find a broken promise. One that nobody
notices is a finding: either the world is too kind, or the guard guards nothing.

    python -m tests.simulation.sabotage --help

`catalogue` says what is rewritten, `rewriting` does it, `trial` looks for the broken promise in a
process of its own, `trials` starts those, and `table` writes what was found into docs/promises.md.
"""
