"""What all console commands share: how an app behaves, and the option that names the config."""

from pathlib import Path
from typing import Annotated

import typer
from typer.models import Default

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The config. Default: DNSPLAN_CONFIG, ./dns.yaml, /etc/dnsplan/dns.yaml.",
    ),
]

HttpOption = Annotated[
    str | None,
    typer.Option(
        "--http",
        metavar="HOST:PORT",
        help="Serve page, health and metrics there. Overrules the config's status.listen.",
    ),
]

StateDirOption = Annotated[
    Path | None,
    typer.Option(
        "--state-dir", metavar="DIR", help="Folder for what it keeps. Default: the config's."
    ),
]

LogOnlyOption = Annotated[
    bool, typer.Option("--log-only", help="Page to the log alone, and send no heartbeat.")
]


def command_app(name: str, *, summary: str | None = None, completes: bool = False) -> typer.Typer:
    """An app whose bare call shows help, and whose help is plain text in a pipe and at 3 a.m.

    Without a summary the callback's docstring is the help; to typer, None would be none at all.
    `completes`: it can install itself in a shell, and its help says how.
    """
    return typer.Typer(
        name=name,
        help=Default(None) if summary is None else summary,
        no_args_is_help=True,
        add_completion=completes,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
