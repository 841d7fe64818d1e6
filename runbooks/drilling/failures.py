"""What a drill can make go wrong, with the page that is about it and what ends it.

Each is made through what a person or an accident has in production: a console on Route 53, a target
that dies, a table that is put back. `answer` are the page's own commands, for a rehearsal; none of
them means that the right thing is to look and to wait.
"""

import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from planner.rules.vantage import FRESH_S
from runbooks.drilling.stand import LABEL, ZONE, Stand, go_on

FENCE = f"_dnsplan.{ZONE}"
MAIL = f"mail.{ZONE}"
WAITS_S = 60.0
TABLE_AWAY_S = 25.0
OTHERS = "5" * 32

Answer = Callable[[Stand], Awaitable[list[str]]]


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that goes wrong."""

    name: str
    page: str
    make: Callable[[Stand], Awaitable[None]]
    answer: Answer
    emptied: tuple[str, ...] = ()


async def _record(client: Any, zone_id: str, name: str, kind: str) -> dict[str, Any]:
    found = await client.list_resource_record_sets(
        HostedZoneId=zone_id, StartRecordName=name, StartRecordType=kind, MaxItems="1"
    )
    one: dict[str, Any] = found["ResourceRecordSets"][0]
    return one


async def _edit(stand: Stand, *edits: tuple[str, str, str, str]) -> None:
    """Action, name, type and new value of each; an empty value keeps what stands."""
    async with stand.by_hand() as (client, zone_id):
        changes = []
        for action, name, kind, value in edits:
            one = await _record(client, zone_id, name, kind)
            if value:
                one = {**one, "ResourceRecords": [{"Value": value}]}
            changes.append({"Action": action, "ResourceRecordSet": one})
        await client.change_resource_record_sets(
            HostedZoneId=zone_id, ChangeBatch={"Changes": changes}
        )


async def _newer(stand: Stand) -> None:
    """A target dies, and the plan that takes it out is applied."""
    before = await stand.ask(ZONE, "A")
    await stand.backend("stop", "web-a")
    until_s = stand.clock.elapsed_s() + WAITS_S
    while await stand.ask(ZONE, "A") == before and stand.clock.elapsed_s() < until_s:
        await stand.clock.sleep(0.5)
    # `applied` is noted a little after the names answer it.
    while (await stand.type_in(f"dns-runbook status {LABEL}"))[0] != 0:
        if stand.clock.elapsed_s() > until_s:
            return


async def _name_emptied(stand: Stand) -> None:
    await _edit(stand, ("DELETE", MAIL, "A", ""))


async def _fence_lost(stand: Stand) -> None:
    await _edit(stand, ("UPSERT", MAIL, "A", "203.0.113.66"), ("DELETE", FENCE, "TXT", ""))


async def _foreign_owner(stand: Stand) -> None:
    (text,) = await stand.ask(FENCE, "TXT") or ("",)
    owner = text.partition("owner=")[2].partition(" ")[0]
    theirs = text.replace(owner, OTHERS)
    await _edit(stand, ("UPSERT", FENCE, "TXT", theirs))


async def _table_restored(stand: Stand) -> None:
    kept = await stand.control("dynamodb/snapshot", table="dnsplan")
    await _newer(stand)
    await stand.control("dynamodb/restore", snapshot=kept["snapshot"], table="dnsplan")


async def _table_away(stand: Stand) -> None:
    await stand.control(
        "faults", kind="refuse", service="dynamodb", times=None,
        code="InternalServerError", message="down", status=500,
    )  # fmt: skip
    await stand.backend("stop", "web-a")


async def _failover(stand: Stand) -> None:
    await _newer(stand)
    async with stand.by_hand() as (_, zone_id):
        await stand.control("route53/forget", zone=zone_id.rpartition("/")[2], last=1)


async def _frozen(stand: Stand) -> None:
    await stand.type_in(f"dns-runbook freeze {LABEL} --because maintenance --by lee --yes")
    await stand.backend("stop", "web-a")


async def _planner_silent(stand: Stand) -> None:
    go_on(stand.pid("planner"), signal.SIGSTOP)
    await stand.backend("stop", "web-a")


async def _wait(_stand: Stand) -> list[str]:
    return []


async def _table_is_back(stand: Stand) -> list[str]:
    """Nobody mends AWS: it comes back."""
    await stand.clock.sleep(TABLE_AWAY_S)
    await stand.control("back")
    async with stand.http.delete(f"{stand.ready['endpoint_url']}/_sandbox/faults") as answer:
        answer.raise_for_status()
    return []


async def _thaw(stand: Stand) -> list[str]:
    (text,) = await stand.ask(FENCE, "TXT") or ("",)
    freeze = text.partition("frozen=")[2].partition('"')[0].partition(" ")[0]
    return [f"dns-runbook thaw {LABEL} {freeze} --because drill --yes"]


async def _plan_by_hand(stand: Stand) -> list[str]:
    """What a silent planner said last counts until it is stale; before, nobody is outvoted."""
    await stand.clock.sleep(FRESH_S + 2.0)
    return [f"dns-planner plan {LABEL} --publish"]


def _typed(*commands: str) -> Answer:
    async def answer(_stand: Stand) -> list[str]:
        return list(commands)

    return answer


FAILURES: tuple[Failure, ...] = (
    Failure("failover", "failover", _failover, _wait),
    Failure("fence-lost", "lost-fence", _fence_lost,
            _typed(f"dns-runbook adopt {LABEL} --because drill --yes")),
    Failure("foreign-owner", "fenced-out", _foreign_owner,
            _typed(f"dns-runbook reconcile {LABEL} --take-over {OTHERS} --because drill --yes")),
    Failure("frozen", "freeze-the-world", _frozen, _thaw),
    Failure("name-emptied", "empty-name", _name_emptied, _wait, emptied=(MAIL,)),
    Failure("planner-silent", "planner-silent", _planner_silent, _plan_by_hand),
    Failure("table-away", "table-unreachable", _table_away, _table_is_back),
    Failure("table-restored", "table-restored", _table_restored,
            _typed(f"dns-runbook reconcile {LABEL} --because drill --yes")),
)  # fmt: skip
