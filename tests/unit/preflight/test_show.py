"""Preflight on a terminal: what to do can be copied from it."""

from io import StringIO

from rich.console import Console

from runbooks.preflight.findings import fine, warning
from runbooks.preflight.show import findings_table

TODO = "aws route53 update-hosted-zone-features --enable-accelerated-recovery --hosted-zone-id Z1"


def test_no_column_breaks_a_command() -> None:
    """Only between its words, in the eighty columns of a console."""
    findings = (
        warning("accelerated recovery", "shop", "off: [while] it is", TODO),
        fine("probe rate", "planner.max_probes_per_s", "c"),
    )
    page = StringIO()
    Console(width=80, file=page).print(findings_table(findings))
    text = page.getvalue()
    assert TODO in " ".join(text.split())
    assert "[while]" in text
    assert text.endswith("1 fine, 1 warning, 0 unread, 0 refused\n")
