"""What others wrote draws nothing on a terminal; colours and columns of ours stay."""

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dnsplan.runtime.terminal import Visible

HOSTILE = "a\x1b]0;t\x07\x9b31m\u202eb"


def test_cells_are_written_out_and_our_own_colours_are_kept() -> None:
    """One escape of ours stands for the style; the cell's are text."""
    table = Table(box=None, show_header=False)
    table.add_row(Text(HOSTILE, style="red"), "next")
    drawn = io.StringIO()
    console = Console(file=drawn, force_terminal=True, color_system="standard", width=120)
    console.print(Visible(table))
    (line,) = drawn.getvalue().splitlines()
    assert line.count("\x1b[31m") == 1
    bare = line.replace("\x1b[31m", "").replace("\x1b[0m", "")
    assert bare.isprintable()
    assert bare.split() == [r"a\x1b]0;t\x9b31m\u202eb", "next"]


def test_lines_stay_lines() -> None:
    """What is drawn on two lines is."""
    drawn = io.StringIO()
    Console(file=drawn, width=20).print(Visible(Text("one\ntwo")))
    assert drawn.getvalue() == "one\ntwo\n"
