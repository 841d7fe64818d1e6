"""The command line of `dns-runbook keys`. Imports that take time happen inside."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Of(StrEnum):
    """Whose key it is to be."""

    PLANNER = "planner"
    OPERATOR = "operator"


def keys_command(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="What the key is called.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where its secret part goes.")],
    *,
    of: Annotated[Of, typer.Option(help="Who signs with it.")] = Of.PLANNER,
) -> None:
    """Make a key that plans or operators' words are signed with.

    Writes the secret key to a new file that its owner alone may read, and prints
    the lines of dns.yaml that list its public one. Needs neither config nor AWS.
    To replace a key: list the new one beside it everywhere, then sign with it,
    and take the old one out once no plan that it signed is at head or pinned.

    \b
    Examples:
      dns-runbook keys planner-2026 planner-2026.key
      dns-runbook keys change-2026 change-2026.key --of operator

    \b
    Exit codes:
      0  the key is made
      1  the file cannot be written
      2  wrong options, or the file is there already
    """
    from runbooks.keys.making import make_key

    raise typer.Exit(make_key(key_id, file, str(of)))
