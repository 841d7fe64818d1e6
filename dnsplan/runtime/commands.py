"""How a daemon's command begins and ends: config, page and zones as stated, or a line and a code.

Mistakes of whoever typed the command end it here with one line on standard error and no traceback.
Imports that take time happen inside the functions, so that `--help` is instant.
"""

import os
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from dnsplan import exits

if TYPE_CHECKING:
    from dnsplan.runtime.config import LoadedConfig, Settings
    from dnsplan.runtime.config.listen_address import Listen


def end_usage(text: str) -> NoReturn:
    """Say what is wrong with the command or the config, and end."""
    typer.echo(text, err=True)
    raise typer.Exit(exits.USAGE)


def loaded_config(config: Path | None, *, records: bool = True) -> "LoadedConfig":
    """The config, or all its mistakes and the end. `records`: as for `load`."""
    from dnsplan.errors import ConfigError
    from dnsplan.runtime.config import load

    try:
        return load(config, os.environ, records=records)
    except ConfigError as error:
        end_usage(str(error))


def listened(whose: str, settings: "Settings", http: str | None) -> "Listen | None":
    """Where a daemon serves its page. `whose`: a name of PageOf; `http`: what `--http` says."""
    from dnsplan.errors import ConfigError
    from dnsplan.runtime.config.listen_address import PageOf, page_address

    try:
        return page_address(PageOf[whose], stated=settings.status.listen, option=http)
    except ConfigError as error:
        end_usage(str(error))


def check_labels(labels: Sequence[str], settings: "Settings") -> None:
    """End when one of them is no zone of the config."""
    if unknown := sorted(set(labels) - set(settings.zones)):
        end_usage(f"no zone {', '.join(unknown)}; zones: {', '.join(settings.zones)}")


def end_with(program: str, work: Coroutine[Any, Any, int]) -> NoReturn:
    """Do the work and end with its exit code; expected trouble is a line, never a traceback."""
    import asyncio

    from dnsplan.errors import ConfigError, DnsplanError
    from dnsplan.pages import page_of

    try:
        code = asyncio.run(work)
    except ConfigError as error:
        end_usage(str(error))
    except DnsplanError as error:
        typer.echo(f"{program}: {error}; page: {page_of(error)}", err=True)
        code = exits.FAILED
    raise typer.Exit(code)
