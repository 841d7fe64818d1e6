"""The plain word: what ids, owners, writers and nonces are, in the fence and in the table.

Whoever may write there chooses its letters, and people copy such a word from a log into a shell. So
it is a word that a terminal shows as it is, that a shell takes for one argument, and that no
command takes for an option.
"""

import re

_WORD = re.compile(r"[A-Za-z0-9._][A-Za-z0-9._-]{0,79}")


def is_word(text: str) -> bool:
    """Whether every tool of ours could have written it."""
    return _WORD.fullmatch(text) is not None
