"""What a sandbox says to a person: where everything is, what to try, how each zone stands. Pure."""

from collections.abc import Iterator

from dnsplan.names import display
from dnsplan.runtime.status.model import ZoneStatus
from dnsplan.runtime.status.verdict import Standing, Verdict
from sandbox.run.stage import Stage


def first_lines(stage: Stage) -> Iterator[tuple[str, str]]:
    """The first screen: (what, how) pairs, the commands ready to be copied."""
    where = stage.addresses
    yield "AWS stand-in", where.endpoint_url
    yield "DNS server", f"{where.dns} (private zones: {where.dns_private})"
    yield "ask a name", dig_command(stage)
    yield "run commands", f"source {where.environment}    then: dns-runbook status"
    if where.backends is None:
        return
    pooled = [one.id for one in stage.backends]
    stopped = pooled[1] if len(pooled) > 1 else pooled[0]
    yield (
        "stop a host",
        f"curl -X POST {where.backends}/stop/{stopped}    and watch it leave the answers",
    )
    yield "start it", f"curl -X POST {where.backends}/start/{stopped}"


def more_to_try(stage: Stage) -> Iterator[tuple[str, str]]:
    """What is known only once the daemons run: their pages and process ids."""
    yield from page_lines(stage)
    pids = {child.command.name: child.pid for child in stage.children}
    enactors = [pid for name, pid in pids.items() if name.startswith("enactor-") and pid]
    if len(enactors) > 1:
        victims = " ".join(map(str, enactors[:2]))
        yield "kill daemons", f"kill -9 {victims}    (two enactors; the third goes on)"
    away = f"{stage.addresses.endpoint_url}/_sandbox/away"
    yield "lose AWS", f"curl -X POST {away} -d '{{\"for_s\": 30}}'    and see everything hold"


def page_lines(stage: Stage) -> Iterator[tuple[str, str]]:
    """The planner's page, which knows the targets, and where the others are."""
    pages = dict(stage.pages)
    planner = next((who for who in pages if who.startswith("planner")), None)
    if planner is None:
        return
    yield "status page", f"{pages.pop(planner)}    live in a browser; each daemon has its own:"
    yield "more pages", "  ".join(f"{who} {url}" for who, url in sorted(pages.items()))


def dig_command(stage: Stage) -> str:
    """A command that asks the first pool-driven name."""
    name, private = stage.first_name()
    server = stage.addresses.dns_private if private else stage.addresses.dns
    host, _, port = server.rpartition(":")
    return f"dig @{host} -p {port} {display(name).rstrip('.')} A"


def summary(stage: Stage) -> str:
    """How all zones stand, in one line."""
    count = len(stage.verdicts)
    in_sync = sum(verdict.standing is Standing.IN_SYNC for verdict in stage.verdicts)
    noun = "zone" if count == 1 else "zones"
    text = f"{in_sync} of {count} {noun} in sync"
    if stage.converged_after_s is not None:
        text += f", converged after {stage.converged_after_s:.1f} s"
    return text


def zone_line(zone: ZoneStatus, verdict: Verdict) -> str:
    """How one zone stands, in one line, with the first reason when it is not in sync."""
    why = f": {verdict.reasons[0]}" if verdict.reasons else ""
    return (
        f"{zone.label} ({zone.zone}) {verdict.standing.value}"
        f" head={shown(zone.head)} applied={shown(zone.applied)} fence={fence_text(zone)}{why}"
    )


def fence_text(zone: ZoneStatus) -> str:
    """Generation and step of the fence."""
    fence = zone.fence
    return "-" if fence is None else f"{fence.generation}:{fence.step}/{fence.steps}"


def shown(value: object) -> str:
    """A value in a cell; absent is a hyphen."""
    return "-" if value is None else str(value)
