"""What `dns-runbook verify` does: compare, show, give the exit code."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from dnsplan.exits import FAILED, FINE, REFUSED
from dnsplan.names import parse_name
from dnsplan.runtime.config.schema import Settings
from runbooks.controls.outside import Operator
from runbooks.controls.session import ControlOptions, run_with, show
from runbooks.looking.asking import open_asking
from runbooks.looking.eyes import open_eyes
from runbooks.looking.naming import name_in
from runbooks.looking.progress import shown
from runbooks.verifying.show import verify_facts, verify_lines, verify_table
from runbooks.verifying.verifying import Verification, Verifying


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What verify takes beside."""

    name: str | None
    asked_max: int
    name_servers: tuple[str, ...]


def verify_zone(options: ControlOptions, wish: VerifyOptions, environ: Mapping[str, str]) -> int:
    """One zone, or one name of it."""

    async def work(settings: Settings, _: Operator) -> int:
        (label,) = options.labels
        apex = settings.zones[label].name
        name = None if wish.name is None else name_in(wish.name, parse_name(apex))
        async with (
            open_eyes(settings, options.labels) as eyes,
            open_asking(settings, label, wish.name_servers) as asking,
        ):
            zone = await eyes.zone(label, await eyes.item(label), apex)
            with shown(f"reading {label}", "pages") as progress:
                verifying = Verifying(eyes, zone, progress)
                found = await verifying.verify(asking, name=name, asked_max=wish.asked_max)
        _show(options, label, found)
        return exit_code(found)

    return run_with(options, environ, work, records=False)


def exit_code(found: Verification) -> int:
    """0 in sync, 3 where all that differs is held, else 1."""
    if found.is_in_sync:
        return FINE
    differing = [one for one in found.units if not one.is_same]
    return REFUSED if differing and all(one.held is not None for one in differing) else FAILED


def _show(options: ControlOptions, label: str, found: Verification) -> None:
    if options.json:
        sys.stdout.write(json.dumps(verify_facts(label, found), indent=2) + "\n")
    else:
        show(lambda: verify_table(label, found), verify_lines(label, found))
