"""How each failure of a drill is made: as a person or an accident makes it in production, by a
console on Route 53, a target that dies, a deploy, a table that is put back.
"""

import asyncio
import signal
from pathlib import Path
from typing import Any

import msgspec

from dnsplan.plan import Generation
from dnsplan.runtime.archive_items import generation_prefix, plan_partition
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY
from runbooks.drilling.stand import LABEL, ZONE, NoSandbox, Stand, go_on

FENCE = f"_dnsplan.{ZONE}"
MAIL = f"mail.{ZONE}"
TABLE = "dnsplan"
WAITS_S = 60.0
OTHERS = "5" * 32
# What AWS lets an account ask; a neighbour that asks far more leaves hardly any of it.
AWS_RATE_PER_S = 5.0
# What the sandbox's dns.yaml states, as a deploy finds it.
MAIL_IS = "mail: {records: [{type: A, ttl_s: 300, values: [192.0.2.25]}]}"
BAD_MAIL = MAIL_IS.replace("192.0.2.25", "203.0.113.25")
WEB_IS = "\n  web:"


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


async def name_emptied(stand: Stand) -> None:
    """Somebody deletes a name's records."""
    await _edit(stand, ("DELETE", MAIL, "A", ""))


async def fence_lost(stand: Stand) -> None:
    """Somebody edits a name and deletes the fence."""
    await _edit(stand, ("UPSERT", MAIL, "A", "203.0.113.66"), ("DELETE", FENCE, "TXT", ""))


async def foreign_owner(stand: Stand) -> None:
    """Another deployment's fence stands in the zone."""
    (text,) = await stand.ask(FENCE, "TXT") or ("",)
    owner = text.partition("owner=")[2].partition(" ")[0]
    theirs = text.replace(owner, OTHERS)
    await _edit(stand, ("UPSERT", FENCE, "TXT", theirs))


async def table_restored(stand: Stand) -> None:
    """The table is put back to before a plan that is live."""
    kept = await stand.control("dynamodb/snapshot", table="dnsplan")
    await _newer(stand)
    await stand.control("dynamodb/restore", snapshot=kept["snapshot"], table="dnsplan")


async def table_away(stand: Stand) -> None:
    """The table answers nothing but errors, just when a target dies."""
    await stand.control(
        "faults",
        kind="refuse",
        service="dynamodb",
        times=None,
        code="InternalServerError",
        message="down",
        status=500,
    )
    await stand.backend("stop", "web-a")


async def table_back(stand: Stand) -> None:
    """Nobody mends AWS: it comes back."""
    await stand.control("back")
    async with stand.http.delete(f"{stand.ready['endpoint_url']}/_sandbox/faults") as answer:
        answer.raise_for_status()


async def failover(stand: Stand) -> None:
    """Route 53 loses the last accepted batch."""
    await _newer(stand)
    async with stand.by_hand() as (_, zone_id):
        await stand.control("route53/forget", zone=zone_id.rpartition("/")[2], last=1)


async def frozen(stand: Stand) -> None:
    """Somebody froze the zone, and a target dies."""
    await stand.type_in(f"dns-runbook freeze {LABEL} --because maintenance --by lee --yes")
    await stand.backend("stop", "web-a")


async def planner_silent(stand: Stand) -> None:
    """The planner stands still, and a target dies."""
    for pid in stand.pids("planner"):
        go_on(pid, signal.SIGSTOP)
    await stand.backend("stop", "web-a")


async def throttled(stand: Stand) -> None:
    """Another tool of the account asks all the time, just when a target dies."""
    await stand.control("settings", rate_per_s=AWS_RATE_PER_S)
    stand.let_neighbour_ask()
    await stand.backend("stop", "web-a")


async def neighbour_gone(stand: Stand) -> None:
    """The other tool has done its work."""
    await stand.end_neighbour()


async def plan_lost(stand: Stand) -> None:
    """The newest plan's body is deleted in the table before any enactor has read it."""
    enactors = stand.pids("enactor")
    for pid in enactors:
        go_on(pid, signal.SIGSTOP)
    before = await _head(stand)
    await stand.backend("stop", "web-a")
    until_s = stand.clock.elapsed_s() + WAITS_S
    while (head := await _head(stand)) == before:
        if stand.clock.elapsed_s() > until_s:
            raise NoSandbox(f"no plan came after {before} within {WAITS_S:g} s")
        await stand.clock.sleep(0.5)
    await delete_body(TABLE, LABEL, head)
    for pid in enactors:
        go_on(pid, signal.SIGCONT)


async def bad_plan(stand: Stand) -> None:
    """A deploy states the wrong address, which breaks no guardrail."""
    await deploy(stand, MAIL_IS, BAD_MAIL)


async def evacuated(stand: Stand) -> None:
    """Two hosts of three are gone, more than velocity lets go in a window. The pool's panic
    threshold stands lower than usual: else health would be ignored, which is another page."""
    await deploy(stand, WEB_IS, f"{WEB_IS}\n    panic_threshold: 0.2")
    await stand.backend("stop", "web-a")
    await stand.backend("stop", "web-b")


async def deploy(stand: Stand, before: str, after: str) -> None:
    """Somebody puts another dns.yaml in place."""
    await asyncio.to_thread(put, Path(stand.environ["DNSPLAN_CONFIG"]), before, after)


def put(file: Path, before: str, after: str) -> None:
    """What the file states once, it states otherwise, all at once. NoSandbox where it does not."""
    text = file.read_text()
    if text.count(before) != 1:
        raise NoSandbox(f"{file} does not state {before!r} once")
    fresh = file.with_suffix(".new")
    fresh.write_text(text.replace(before, after))
    fresh.replace(file)


async def delete_body(table: str, label: str, generation: int) -> None:
    """Somebody deletes a plan's chunks in the console."""
    async with AwsClients().open("dynamodb") as client:
        found = await client.query(
            TableName=table,
            ConsistentRead=True,
            KeyConditionExpression="#pk = :pk AND begins_with(#sk, :begin)",
            ExpressionAttributeNames={"#pk": PARTITION_KEY, "#sk": SORT_KEY},
            ExpressionAttributeValues={
                ":pk": plan_partition(label),
                ":begin": {"S": f"{generation_prefix(Generation(generation))}#"},
            },
        )
        for item in found["Items"]:
            key = {PARTITION_KEY: item[PARTITION_KEY], SORT_KEY: item[SORT_KEY]}
            await client.delete_item(TableName=table, Key=key)


async def _head(stand: Stand) -> int:
    _, text = await stand.type_in(f"dns-runbook status {LABEL} --json")
    return int(msgspec.json.decode(text)["zones"][0]["head"])
