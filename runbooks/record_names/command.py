"""What `dns-runbook names` does: print the names of `dns.yaml` as `roles.yaml` takes them.

It asks nothing of AWS. Names that do not fit are never printed in part: a list that lacks a name
would take it from the enactors.
"""

import json
import sys
from collections.abc import Mapping

from dnsplan.exits import FINE, REFUSED
from dnsplan.runtime.config.schema import Settings
from runbooks.controls.outside import Mistaken, Operator
from runbooks.controls.session import ControlOptions, run_with, say
from runbooks.controls.telling import tell
from runbooks.record_names.rules import (
    PARAMETER_BYTES_MAX,
    POLICY_CHARACTERS_MAX,
    fitting,
    parameter_names,
)


def print_names(options: ControlOptions, environ: Mapping[str, str]) -> int:
    """Print them, or say how many fit; the exit code."""

    async def work(settings: Settings, _: Operator) -> int:
        labels = options.labels or _own_account(settings)
        names = parameter_names(settings.zones[label] for label in labels)
        count = fitting(names, zones=len(labels))
        value = ",".join(names) if count == len(names) else None
        if options.json:
            facts = {"zones": labels, "names": names, "fitting": count, "record_names": value}
            sys.stdout.write(json.dumps(facts) + "\n")
        elif value is not None:
            sys.stdout.write(value + "\n")
        return FINE if value is not None else say(_too_many(len(names), count, labels), REFUSED)

    return run_with(options, environ, work)


def _own_account(settings: Settings) -> tuple[str, ...]:
    """The zones that roles.yaml is deployed for; the others' names belong to their own roles."""
    zones = settings.zones
    others = [label for label in zones if zones[label].role_arn is not None]
    if len(others) == len(zones):
        raise Mistaken("every zone has a role_arn; say whose names are wanted: " + ", ".join(zones))
    if others:
        tell(f"left out, being in other accounts: {', '.join(others)}; ask for them by label")
    return tuple(label for label in zones if label not in others)


def _too_many(names: int, count: int, labels: tuple[str, ...]) -> str:
    of = "zone" if len(labels) == 1 else "zones"
    group = "" if len(labels) == 1 else " and name a group's zones here,"
    return (
        f"{count} of {names} names of {len(labels)} {of} fit: a parameter of CloudFormation holds"
        f" {PARAMETER_BYTES_MAX:,} bytes, a managed policy {POLICY_CHARACTERS_MAX:,} characters;"
        " leave RecordNames empty, which lets enactors write every name of their zones, or deploy"
        f" roles.yaml once a group of zones,{group} as deploy/README.md says"
    )
