"""What `dns-runbook preflight` does: read each part on its own, judge, show, give the exit code.

It changes nothing: neither records nor items nor settings.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from dnsplan.exits import FAILED, FINE, REFUSED
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.config.server_address import parse_server
from dnsplan.runtime.keys import key_troubles
from runbooks.controls.outside import Mistaken, Operator
from runbooks.controls.session import ControlOptions, run_with, show
from runbooks.preflight.account_rules import judge_caller, judge_pace, judge_probing, judge_signing
from runbooks.preflight.calls import ROLES
from runbooks.preflight.dependence import judge_dependence, needed_hosts
from runbooks.preflight.facts import Facts, Unseen
from runbooks.preflight.findings import Finding, Severity, unread, worst
from runbooks.preflight.looking import Look
from runbooks.preflight.show import findings_facts, findings_lines, findings_table
from runbooks.preflight.table_rules import REACHABLE, judge_table
from runbooks.preflight.trials import try_role
from runbooks.preflight.zone_rules import judge_zone

EXITS = {
    Severity.FINE: FINE,
    Severity.WARNING: FAILED,
    Severity.UNREAD: FAILED,
    Severity.REFUSED: REFUSED,
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What the options say besides: whose calls are tried, and a resolver (None: the host's)."""

    role: str | None
    resolver: str | None


def preflight(options: ControlOptions, wish: Wish, environ: Mapping[str, str]) -> int:
    """Look at everything, and give the exit code."""

    async def work(settings: Settings, _: Operator) -> int:
        labels = options.labels or tuple(settings.zones)
        async with AsyncExitStack() as stack:
            look = Look(settings, labels, stack, resolver=_stated(wish))
            if wish.role is None:
                findings = list(_judged(settings, await look.facts(), environ))
            else:
                findings = await _tried(look, wish.role)
        _show(options, findings)
        return EXITS[worst(findings)]

    return run_with(options, environ, work)


async def _tried(look: Look, role: str) -> list[Finding]:
    findings = list(judge_caller(await look.caller()))
    ground = await look.ground(role)
    if isinstance(ground, Unseen):
        return [*findings, unread("permission", role, ground.why, REACHABLE)]
    return findings + await try_role(role, ground)


def _stated(wish: Wish) -> tuple[str, int] | None:
    if wish.role is not None and wish.role not in ROLES:
        raise Mistaken(f"there is no role {wish.role}; there are {', '.join(ROLES)}")
    if wish.resolver is None:
        return None
    try:
        return parse_server(wish.resolver)
    except ValueError as error:
        text = f"'{wish.resolver}' is no IP address, as 127.0.0.1 or 127.0.0.1:5353"
        raise Mistaken(text) from error


def _judged(settings: Settings, facts: Facts, environ: Mapping[str, str]) -> Iterator[Finding]:
    yield from judge_caller(facts.caller)
    yield from judge_table(settings.table, facts.table)
    for label, read in facts.zones.items():
        yield from judge_zone(label, read)
    yield from judge_pace(settings)
    yield from judge_probing(settings)
    signing = settings.signing
    troubles = {} if signing is None else key_troubles(signing, environ)
    yield from judge_signing(settings, troubles)
    yield from judge_dependence(settings, needed_hosts(settings, facts.endpoints, environ))


def _show(options: ControlOptions, findings: list[Finding]) -> None:
    if options.json:
        sys.stdout.write(json.dumps(findings_facts(findings)) + "\n")
    else:
        show(lambda: findings_table(findings), findings_lines(findings))
