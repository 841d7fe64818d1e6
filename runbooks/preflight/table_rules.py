"""Judges the table: whether its conditions are worth anything, and whether it can be got back.

Pure. It refuses what `dns-planner init` and the daemons refuse, and says it before they start.
"""

from collections.abc import Iterator, Mapping

from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY
from runbooks.preflight.facts import Read, TableFacts, TableShape, Unseen
from runbooks.preflight.findings import Finding, fine, refused, unread, warning

KEYS = ((PARTITION_KEY, "HASH"), (SORT_KEY, "RANGE"))
REACHABLE = "look at the Region, the endpoint and the policy; docs/permissions.md lists the calls"


def judge_table(name: str, facts: TableFacts) -> Iterator[Finding]:
    """Each thing that a table can be wrong in."""
    match facts.shape:
        case Unseen(why):
            yield unread("table", name, why, REACHABLE)
            table_id = None
        case None:
            found = f"there is no such table in {facts.region}"
            todo = "set AWS_DEFAULT_REGION to where it is; nowhere yet: dns-planner init"
            yield refused("table", name, found, todo)
            return
        case TableShape() as shape:
            yield from _shape(name, shape)
            table_id = shape.table_id
    yield _recoverable(name, facts.recoverable)
    yield from _incarnations(table_id, facts.incarnations)


def _shape(name: str, shape: TableShape) -> Iterator[Finding]:
    if shape.replication is not None:
        found, _, todo = shape.replication.partition("; ")
        yield refused("table mode", name, found, todo)
    elif sorted(shape.keys) != sorted(KEYS):
        found = ", ".join(f"{key} ({kind})" for key, kind in shape.keys) or "no keys"
        todo = f"name another table, with {PARTITION_KEY} (HASH) and {SORT_KEY} (RANGE)"
        yield refused("table mode", name, f"its keys are {found}", todo)
    elif shape.status not in {"ACTIVE", "UPDATING"}:
        todo = "wait until it is ACTIVE, or look at it in the console"
        yield refused("table mode", name, f"it is {shape.status}", todo)
    else:
        yield fine("table mode", name, f"{shape.status}, id {shape.table_id or 'written by init'}")
    if not shape.protected:
        todo = f"aws dynamodb update-table --table-name {name} --deletion-protection-enabled"
        yield warning("table protection", name, "anyone with the right may delete it", todo)
    if not shape.on_demand:
        found = "its capacity is provisioned: a throttled claim delays the mending of an incident"
        todo = f"aws dynamodb update-table --table-name {name} --billing-mode PAY_PER_REQUEST"
        yield warning("table capacity", name, found, todo)


def _recoverable(name: str, recoverable: Read[bool]) -> Finding:
    turn_on = (
        f"aws dynamodb update-continuous-backups --table-name {name}"
        " --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true"
    )
    match recoverable:
        case Unseen(why):
            return unread("point-in-time recovery", name, why, REACHABLE)
        case True:
            return fine("point-in-time recovery", name, "on")
        case _:
            return warning("point-in-time recovery", name, "off", turn_on)


def _incarnations(table_id: str | None, incarnations: Read[Mapping[str, str]]) -> Iterator[Finding]:
    if isinstance(incarnations, Unseen):
        yield unread("table id", "zones", incarnations.why, REACHABLE)
        return
    if table_id is None:  # an engine that gives none; the daemons read the one that init wrote
        return
    for label, written_in in sorted(incarnations.items()):
        if written_in == table_id:
            yield fine("table id", label, "its item was written in this table")
        else:
            found = f"its item was written in table {written_in}, not in this one ({table_id})"
            todo = f"a table that was restored or copied: dns-runbook reconcile {label}"
            yield refused("table id", label, found, todo)
