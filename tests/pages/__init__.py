"""The runbook pages, played: each shown command is typed in the state that its page describes, and
what it prints is compared with what the page shows.

`python -m tests.pages --write` puts what is printed now into the pages. `page` reads and compares,
`room` is a small world in this process, `watching` lets the simulator's checkers judge every batch
and every write to the table there, and `plays` has one play a page: how the trouble comes about,
and what happens between its commands.
"""
