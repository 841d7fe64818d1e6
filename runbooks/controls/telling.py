"""Words for the person who waits, on standard error; facts go elsewhere."""

import sys
import textwrap

from dnsplan.errors import visible_lines
from dnsplan.runtime.terminal import terminal
from runbooks.controls.streams import let_go


def tell(line: str) -> None:
    """One line for the person who waits, who may be gone; on a terminal no word is cut at its
    edge."""
    line = visible_lines(line)
    try:
        if sys.stderr.isatty():
            line = fitted(line, terminal(stderr=True).width)
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except OSError:  # the terminal or the pipe is gone, and work may be half done
        let_go(sys.stderr)


def fitted(text: str, columns: int) -> str:
    """A text broken between words; what follows stands where its line began."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line, columns))


def _parts(line: str, columns: int) -> list[str]:
    if len(line) <= columns:
        return [line]
    return textwrap.wrap(
        line,
        columns,
        subsequent_indent=line[: len(line) - len(line.lstrip())],
        break_long_words=False,
        break_on_hyphens=False,
    )
