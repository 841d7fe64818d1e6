"""The arguments and options that many `dns-runbook` commands share, worded once."""

import os
from typing import Annotated

import typer


def labels_from(ctx: typer.Context, incomplete: str) -> list[str]:
    """The labels of the config that begin so; none where there is no config to read."""
    from dnsplan.errors import DnsplanError
    from dnsplan.runtime.config import load

    try:
        zones = load(ctx.params.get("config"), os.environ).settings.zones
    except DnsplanError:
        return []
    return sorted(label for label in zones if label.startswith(incomplete))


LabelArgument = Annotated[
    str,
    typer.Argument(metavar="LABEL", help="The zone by its label.", autocompletion=labels_from),
]
BecauseOption = Annotated[
    str, typer.Option("--because", metavar="TEXT", help="Why; it is written into the audit.")
]
ByOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who. Default: $USER.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object a zone.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show it, change nothing.")]
NameServerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--name-server",
        metavar="ADDRESS[:PORT]",
        help="Ask this name server; may be repeated. Overrules the config's and Route 53's.",
    ),
]
