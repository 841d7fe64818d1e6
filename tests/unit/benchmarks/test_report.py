"""The report shows what was measured, and marks what was refused or not reached."""

from benchmarks.figures import LIST, middles
from benchmarks.play import OCTODNS
from benchmarks.report import Report, lines, reported, together
from benchmarks.targets import Target
from benchmarks.zones import Case
from tests.unit.benchmarks.runs import run


def shown(*targets: Target) -> str:
    """A report of one case on both sides, where octoDNS was refused first."""
    runs = [
        run(Case.PERCENT, cpu_s=1.0, source_cpu_s=1.0),
        run(Case.PERCENT, side=OCTODNS, cpu_s=7.0, refused="InvalidChangeBatch"),
        run(
            Case.PERCENT,
            side=OCTODNS,
            cpu_s=10.0,
            source_cpu_s=40.0,
            route53={LIST: 20},
            facts={"max_changes": 500.0},
        ),
    ]
    report = Report(machines=[{"load": "9"}], runs=runs, middles=middles(runs), targets=targets)
    return "\n".join(lines(report))


def test_ratios() -> None:
    """10 : 1 without the file, 50 : 2 with it; requests as they are."""
    assert "| 10,000 | 1 % | 10 | 25 | 1 : 20 | 1 |" in shown()


def test_refused_is_said() -> None:
    """A refused run has a line of its own, and so has the setting that helped."""
    assert "octoDNS: **refused**" in shown()
    assert "octoDNS (max_changes 500)" in shown()


def test_a_target_that_is_not_met_stands_out() -> None:
    """Nobody has to compare numbers to see it."""
    text = shown(
        Target(aim="fast", measured="slow", is_met=False),
        Target(aim="small", measured="tiny", is_met=True),
    )
    assert "| fast | slow | **not met** |" in text
    assert "| small | tiny | met |" in text


def test_tables_are_whole() -> None:
    """Every row of a table has as many cells as its head."""
    for block in shown().split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({row.replace("\\|", "").count("|") for row in rows}) <= 1, block


def test_reports_put_together() -> None:
    """All runs count as if they were one, smaller zones first, and each machine is named."""
    large, small = run(size=900, cpu_s=1.0), run(size=100, cpu_s=2.0)
    whole = together([reported([{"load": "1"}], [large]), reported([{"load": "2"}], [small])])
    assert whole == reported([{"load": "1"}, {"load": "2"}], [small, large])
    assert "load: 1\nload: 2" in "\n".join(lines(whole))
