"""Words for the person who waits, on standard error; facts go elsewhere."""

import sys
import textwrap

from rich.console import Console

from dnsplan.errors import visible_lines
from runbooks.controls.streams import let_go


def tell(line: str) -> None:
    """One line for the person who waits, who may be gone; on a terminal no word is cut at its
    edge."""
    line = visible_lines(line)
    try:
        if sys.stderr.isatty():
            line = fitted(line, Console(stderr=True).width)
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except OSError:  # the terminal or the pipe is gone, and work may be half done
        let_go(sys.stderr)


def fitted(text: str, columns: int) -> str:
    """A text broken between words; what follows stands where its line began. A terminal that says
    that it has no columns, as some that are no person's do, has no edge."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line, columns))


def _parts(line: str, columns: int) -> list[str]:
    if columns <= 0 or len(line) <= columns:
        return [line]
    return textwrap.wrap(
        line,
        columns,
        subsequent_indent=line[: len(line) - len(line.lstrip())],
        break_long_words=False,
        break_on_hyphens=False,
    )
