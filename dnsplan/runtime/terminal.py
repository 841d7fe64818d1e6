"""What others wrote, on its way to a terminal: nothing in it may draw, move or hide.

Reasons, authors and messages of other systems are free text, and whoever writes them may write
escapes too. A line is made visible where it is written; a table where it is drawn, since only there
do its cells and our own colours lie apart.
"""

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from dnsplan.errors import visible_lines

COLUMNS = 80


def terminal(*, stderr: bool = False) -> Console:
    """The terminal. One that says that it has no columns, as some do that no person sits at, gets
    eighty: nothing would be drawn on it, and no line could be broken for it."""
    console = Console(stderr=stderr)
    return console if console.width > 0 else Console(stderr=stderr, width=COLUMNS)


class Visible:
    """A table, or anything else that rich draws, with the text in it made visible."""

    def __init__(self, inner: RenderableType) -> None:
        """`inner` is drawn as it is, and looked at afterwards."""
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Each piece of text as `visible` has it; what rich itself moves stays."""
        for piece in console.render(self._inner, options):
            if piece.control:
                yield piece
            else:
                yield Segment(visible_lines(piece.text), piece.style)
