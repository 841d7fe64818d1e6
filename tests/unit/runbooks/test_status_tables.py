"""The tables of `status` can be read on any terminal: no cell is folded, nothing goes unsaid."""

import io

import pytest
from rich.console import Console

from dnsplan.runtime.status.model import (
    EnactorStatus,
    FenceStatus,
    NameStatus,
    Report,
    Status,
    ZoneStatus,
)
from dnsplan.runtime.status.verdict import judge_report
from runbooks.status.tables import status_tables

AZS = ("use1-az1", "use1-az2", "use1-az3")
SHOP = ZoneStatus(
    label="shop",
    zone="shop.example.com.",
    zone_id="Z1",
    head=140,
    applied=139,
    last_known_good=138,
    floor=120,
    frozen=None,
    pin=None,
    ahead=None,
    fence=FenceStatus(
        generation=140,
        step=3,
        steps=7,
        base=139,
        held=0,
        owner="o",
        writer="use1-az2",
        nonce="n",
        digest="d",
    ),
    names=(NameStatus(name="api.shop.example.com.", type="A", answers=2, targets=3, healthy=2),),
    enactors=tuple(EnactorStatus(az=az, generation=139, age_s=12, holding=None) for az in AZS),
)


def drawn(width: int) -> str:
    """What a terminal of this width shows."""
    report = Report(Status((SHOP,)), ())
    paper = io.StringIO()
    console = Console(file=paper, width=width, color_system=None)
    tables = status_tables(report, judge_report(report, azs=AZS), width=console.width)
    console.print(tables)
    return paper.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_what_is_shown_is_shown_whole(width: int) -> None:
    """Label, standing, head and the record's name and answers, at any width, each in one piece."""
    text = drawn(width)
    assert max(map(len, text.splitlines())) <= width
    first = next(line for line in text.splitlines() if line.startswith("shop "))
    assert first.split()[0] == "shop"
    assert {"behind", "140"} <= set(first.split())
    record = next(line for line in text.splitlines() if "api.shop.example.com." in line)
    assert "2" in record.split()


def test_a_wide_terminal_shows_every_column() -> None:
    """And says nothing of room."""
    text = drawn(200)
    for heading in ("zone", "name", "good", "floor", "fence", "writer", "enactors", "targets"):
        assert heading in text
    assert "no room" not in text


def test_what_there_is_no_room_for_is_named() -> None:
    """Eighty columns do without the least needed ones, and say where they are to be had."""
    text = drawn(80)
    assert "no room for floor, good, writer, name; --json has all" in text
    assert "use1-az1:139 12s ago" in text
    assert "140 step 3/7" in text
