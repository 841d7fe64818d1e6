"""What differs between two contents of a zone: two plans, or a plan and what stands.

It only reads. Of the zone as it stands only what the plan beside it manages, or lets end, is
compared: the rest is others'.
"""

from dataclasses import dataclass

from dnsplan.diff import NameChange, diff
from dnsplan.errors import ReadFailed
from dnsplan.normal import normal_form
from dnsplan.plan import NO_GENERATION, Generation, Plan, sorted_content
from dnsplan.records import RecordSet
from enactor.ports import ZoneReach
from enactor.rules.view import ours, restricted
from enactor.settings import Pace
from enactor.viewing import Viewer
from runbooks.controls.outside import Mistaken, Refused
from runbooks.exporting.reading import read_plan
from runbooks.looking.eyes import Eyes

LIVE = "live"
HEAD = "head"
# A plan of several batches lands while a zone is listed; a listing counts between two equal fences.
LISTINGS_MAX = 3
_PACE = Pace(interval_s=2.0, fence_check_s=60.0, stagger_s=0.0, requests_per_s=1.0)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two contents by what they are called, and the changes from the first to the second."""

    label: str
    a: str
    b: str
    changes: tuple[NameChange, ...]


async def compare(eyes: Eyes, label: str, zone_name: str, a: str, b: str) -> Compared:
    """From A to B; each is a generation, `head` or `live`."""
    if a == b == LIVE:
        raise Mistaken("live and live are the same; name a generation, or head")
    plans = {text: await _plan(eyes, label, text) for text in {a, b} - {LIVE}}
    contents = {text: plan.content for text, plan in plans.items()}
    if LIVE in (a, b):
        (plan,) = plans.values()
        contents[LIVE] = await _standing(eyes, label, zone_name, plan)
    shown = {LIVE: LIVE} | {text: f"generation {plan.generation}" for text, plan in plans.items()}
    return Compared(label, shown[a], shown[b], diff(contents[a], contents[b]))


async def _plan(eyes: Eyes, label: str, text: str) -> Plan:
    generation = _number(text)
    if generation is None:
        item = await eyes.item(label)
        if item is None or item.head == NO_GENERATION:
            raise Refused(f"{label} has no plan yet; see dns-planner plan {label}")
        generation = item.head
    return (await read_plan(eyes.table, eyes.archive, label, generation)).plan


def _number(text: str) -> Generation | None:
    """A generation; None for head."""
    if text == HEAD:
        return None
    if not text.isdecimal() or len(text) > 15:
        raise Mistaken(f"{text!r} is no generation; allowed: a number, {HEAD}, {LIVE}")
    return Generation(int(text))


async def _standing(eyes: Eyes, label: str, zone_name: str, plan: Plan) -> tuple[RecordSet, ...]:
    zone = await eyes.zone(label, await eyes.item(label), zone_name)
    reach = ZoneReach(
        records=eyes.records, exceptions=eyes.exceptions, clock=eyes.clock, jitter=eyes.jitter
    )
    for _ in range(LISTINGS_MAX):
        before = await eyes.records.read_fence(zone)
        listed = await Viewer(reach, pace=_PACE).whole(zone)
        if await eyes.records.read_fence(zone) == before:
            found = restricted(listed, ours(plan, None), plan)
            return sorted_content(tuple(map(normal_form, found)))
    raise ReadFailed(f"{label} was written each time it was listed ({LISTINGS_MAX}); run it again")
