"""The arguments and options that many `dns-runbook` commands share, worded once."""

import os
from typing import Annotated

import typer

from dnsplan.runtime.config.server_address import SERVERS_VARIABLE


def labels_from(ctx: typer.Context, incomplete: str) -> list[str]:
    """The labels of the config that begin so; none where there is no config to read."""
    from dnsplan.errors import DnsplanError
    from dnsplan.runtime.config import load

    try:
        zones = load(ctx.params.get("config"), os.environ, records=False).settings.zones
    except DnsplanError:
        return []
    return sorted(label for label in zones if label.startswith(incomplete))


def as_unicode(text: str) -> str:
    """What was typed; bytes of another encoding are shown as lost, or no item could hold them, and
    that would be met when the work is done already."""
    return os.fsencode(text).decode(errors="replace")


def once_each(labels: list[str] | None) -> list[str] | None:
    """The labels without those that were typed twice: no zone is worked on beside itself."""
    return None if labels is None else list(dict.fromkeys(labels))


LabelArgument = Annotated[
    str,
    typer.Argument(metavar="LABEL", help="The zone by its label.", autocompletion=labels_from),
]
LabelsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[LABEL]...",
        help="Zones by their label. Default: all.",
        show_default=False,
        autocompletion=labels_from,
        callback=once_each,
    ),
]
BecauseOption = Annotated[
    str,
    typer.Option(
        "--because",
        metavar="TEXT",
        help="Why; it is written into the audit.",
        callback=as_unicode,
    ),
]
ByOption = Annotated[
    str, typer.Option("--by", metavar="NAME", help="Who. Default: $USER.", callback=as_unicode)
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object a zone.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show it, change nothing.")]
ExpectHeadOption = Annotated[
    int | None,
    typer.Option(
        "--expect-generation",
        metavar="N",
        help="Change nothing unless N is the newest generation.",
    ),
]
ExpectFenceOption = Annotated[
    int | None,
    typer.Option(
        "--expect-generation",
        metavar="N",
        help="Change nothing unless the fence is at N.",
        min=0,
    ),
]
AboveOption = Annotated[
    int,
    typer.Option(
        "--above",
        metavar="N",
        help="A number seen elsewhere; for a lost fence.",
        min=0,
        max=1_000_000_000_000,
    ),
]
TakeOverOption = Annotated[
    str | None,
    typer.Option("--take-over", metavar="OWNER", help="Take the zone from this owner for good."),
]
NameServerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--name-server",
        envvar=SERVERS_VARIABLE,
        metavar="[LABEL=]ADDRESS[:PORT]",
        help="Ask this name server; may be repeated. Overrules the config's and Route 53's.",
    ),
]
