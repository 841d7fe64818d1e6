"""Steps of the world: time, failures of AWS, and foreign hands in the zone."""

from dataclasses import replace

from enactor.rules import packing
from sandbox.route53.account import Route53Settings
from sandbox.route53.model import Change, StoredRecordSet
from sandbox.route53.refusals import Refusal
from tests.fakes.zone_records import to_stored
from tests.simulation.doors import ROUTE53, TABLE
from tests.simulation.scenario.contents import record_sets
from tests.simulation.scenario.language import Places, sentence
from tests.simulation.scenario.stage import Backup, Mistaken, Stage
from tests.simulation.seen import FENCE, mark_of

FOR_EVER_S = 1e9
FENCE_ELEMENTS = 2


@sentence("{n} seconds pass")
async def seconds_pass(stage: Stage, places: Places) -> None:
    """Nothing happens but what is under way."""
    await stage.pause(float(places["n"]))


@sentence("{n} minutes pass")
async def minutes_pass(stage: Stage, places: Places) -> None:
    """The same, longer."""
    await stage.pause(60.0 * int(places["n"]))


@sentence("a batch holds {n} changes beside the fence")
async def small_batches(_stage: Stage, places: Places) -> None:
    """Route 53's limit, made small so that a plan of a few names takes several batches. A changed
    address costs two, a new one costs one. It holds until the scenario ends."""
    packing.ELEMENTS_MAX = int(places["n"]) + FENCE_ELEMENTS


@sentence("route 53 takes {n} seconds until a change is in sync")
async def slow_sync(stage: Stage, places: Places) -> None:
    """4 seconds otherwise."""
    _settings(stage).insync_after_s = float(places["n"])


@sentence("route 53 forgets changes that it lost")
async def forgets(stage: Stage, _places: Places) -> None:
    """A change that a failover lost is unknown afterwards; otherwise it is pending for ever."""
    settings = _settings(stage)
    settings.switches = replace(settings.switches, forgotten_change_unknown=True)


@sentence("route 53 fails over and loses {n} accepted changes")
async def fails_over(stage: Stage, places: Places) -> None:
    """The zone is what it was before the last so many batches."""
    lost = stage.cloud.route53.account.forget_last(stage.zone.zone_id, int(places["n"]))
    if lost != int(places["n"]):
        raise Mistaken(f"only {lost} batches could be lost")
    stage.judge.failed_over(stage.zone.label)
    stage.tell_news()


@sentence("{service} cannot be reached")
async def goes_down(stage: Stage, places: Places) -> None:
    """Every request fails before it arrives."""
    stage.line.down_until_s[_service(places)] = FOR_EVER_S


@sentence("{service} can be reached again")
async def comes_up(stage: Stage, places: Places) -> None:
    """Requests arrive again."""
    stage.line.down_until_s.pop(_service(places), None)


@sentence("the table is backed up")
async def backs_up(stage: Stage, _places: Places) -> None:
    """Items and plans are copied as they stand."""
    cloud = stage.fakes
    bodies, kept = dict(cloud.archive.bodies), dict(cloud.archive.kept)
    stage.backup = Backup(cloud.table.snapshot(), bodies, kept)


@sentence("the table is restored from the backup")
async def restores_table(stage: Stage, _places: Places) -> None:
    """The past is the present; the restored table has an id of its own."""
    if stage.backup is None:
        raise Mistaken("there is no backup")
    cloud, backup = stage.fakes, stage.backup
    cloud.table.restore(backup.items, incarnation="table-2")
    cloud.archive.bodies, cloud.archive.kept = dict(backup.bodies), dict(backup.kept)
    stage.tell_news()


@sentence("the body of plan {n} is lost")
async def loses_body(stage: Stage, places: Places) -> None:
    """Somebody deletes a plan from the table, past every guard."""
    bodies = stage.cloud.archive.bodies
    for plan_id in [one for one in bodies if one.generation == int(places["n"])]:
        del bodies[plan_id]
    stage.tell_news()


@sentence("somebody sets {content}")
async def edits(stage: Stage, places: Places) -> None:
    """A foreign hand writes into the zone, past the fence."""
    for one in record_sets(places["content"], stage.zone):
        _edit(stage, Change("UPSERT", to_stored(one)))
    stage.tell_news()


@sentence("somebody deletes {name}")
async def deletes(stage: Stage, places: Places) -> None:
    """A foreign hand deletes all records of a name."""
    _delete(stage, f"{places['name']}.{stage.zone.name}")
    stage.tell_news()


@sentence("somebody deletes the fence")
async def deletes_fence(stage: Stage, _places: Places) -> None:
    """A foreign hand deletes the fence record."""
    _delete(stage, f"{FENCE}.{stage.zone.name}")
    stage.tell_news()


@sentence("somebody writes {content} and the fence {n} by hand")
async def writes_fence(stage: Stage, places: Places) -> None:
    """Records and a fence of ours with this number, in one batch, by no command of ours."""
    name = f"{FENCE}.{stage.zone.name}"
    stood, mark = (
        stage.judge.hosted(stage.zone.label).sets_at(name),
        mark_of(stage.judge.hosted(stage.zone.label)),
    )
    if mark is None:
        raise Mistaken("there is no fence to swap")
    value = (
        f'"dnsplan/1 generation={places["n"]} step=1/1 base={mark.generation} held=0"'
        f' "owner={mark.owner} writer=by-hand nonce={"b" * 16} digest={"d" * 64}"'
    )
    fence = StoredRecordSet(name, "TXT", ttl=60, values=(value,))
    records = [to_stored(one) for one in record_sets(places["content"], stage.zone)]
    _edit(
        stage,
        *(Change("DELETE", one) for one in stood.values()),
        Change("CREATE", fence),
        *(Change("UPSERT", one) for one in records),
    )
    stage.tell_news()


def _edit(stage: Stage, *changes: Change) -> None:
    try:
        stage.cloud.route53.account.submit(stage.zone.zone_id, changes)
    except Refusal as refusal:
        raise Mistaken(f"Route 53 refuses it: {refusal}") from refusal
    stage.judge.edited(stage.zone.label, [change.record.name for change in changes])


def _delete(stage: Stage, name: str) -> None:
    there = stage.judge.hosted(stage.zone.label).sets_at(name).values()
    if not there:
        raise Mistaken(f"nothing stands at {name}")
    _edit(stage, *(Change("DELETE", one) for one in there))


def _service(places: Places) -> str:
    return TABLE if places["service"] == "the table" else ROUTE53


def _settings(stage: Stage) -> Route53Settings:
    return stage.cloud.route53.account.settings
