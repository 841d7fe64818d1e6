"""What `dns-runbook explain` does: find the zone of a name, read, judge, show, end with a code."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Group

from dnsplan.errors import InvalidName
from dnsplan.exits import FAILED, FINE, REFUSED
from dnsplan.names import Name, is_within, parse_name
from dnsplan.runtime.config.schema import Settings
from runbooks.controls.outside import Mistaken, Operator
from runbooks.controls.session import ControlOptions, run_with, show
from runbooks.explaining.facts import Gathering, stated_in
from runbooks.explaining.holds import findings
from runbooks.explaining.show import Explanation, explain_facts, explain_text
from runbooks.explaining.units import unit_reports
from runbooks.looking.asking import open_asking
from runbooks.looking.eyes import Eyes, open_eyes


@dataclass(frozen=True, slots=True)
class Meant:
    """One zone, a name of it or None for all of it, and who is to be asked."""

    label: str
    name: Name | None
    name_servers: tuple[str, ...]


def explain(
    options: ControlOptions, what: str, name_servers: tuple[str, ...], environ: Mapping[str, str]
) -> int:
    """A zone by its label, or a name, in each zone that it belongs to."""

    async def work(settings: Settings, _: Operator) -> int:
        labels, name = meant(settings, what)
        async with open_eyes(settings, labels) as eyes:
            found = [
                await _explained(settings, eyes, Meant(label, name, name_servers))
                for label in labels
            ]
        _show(options, found)
        return max(map(exit_code, found))

    return run_with(options, environ, work)


def meant(settings: Settings, what: str) -> tuple[tuple[str, ...], Name | None]:
    """The zones and the name that were typed. A public and a private zone may both have it."""
    if what in settings.zones:
        return (what,), None
    apexes = {label: parse_name(zone.name) for label, zone in settings.zones.items()}
    try:
        name = parse_name(what)
    except InvalidName as error:
        raise Mistaken(f"{what}: {error}") from error
    holding = {label: apex for label, apex in apexes.items() if is_within(name, apex)}
    if not holding:
        known = ", ".join(f"{label} ({apex})" for label, apex in sorted(apexes.items()))
        raise Mistaken(f"{what} is no label and in no zone of the config; there are {known}")
    longest = max(map(len, holding.values()))
    return tuple(label for label, apex in holding.items() if len(apex) == longest), name


def exit_code(what: Explanation) -> int:
    """0 as planned, 3 held, else 1."""
    if what.is_fine:
        return FINE
    return REFUSED if what.is_held else FAILED


async def _explained(settings: Settings, eyes: Eyes, one: Meant) -> Explanation:
    label, name = one.label, one.name
    gathering = Gathering(eyes, label, stated_in(settings, label))
    facts = await gathering.zone()
    if name is None:
        return Explanation(facts, findings(facts, name=None), None, ())
    async with open_asking(settings, label, one.name_servers) as asking:
        named = await gathering.name(name, facts, asking)
    return Explanation(facts, findings(facts, name=named.owner), named, unit_reports(facts, named))


def _show(options: ControlOptions, found: list[Explanation]) -> None:
    if options.json:
        document = {"zones": [explain_facts(one) for one in found]}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        texts = [text for one in found for text in explain_text(one)]
        show(lambda: Group(*texts), (one.plain for one in texts))
