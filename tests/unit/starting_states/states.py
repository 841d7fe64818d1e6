"""The table of starting states: how a zone can be found, and what must come of it.

A row says what was done, how it ends by itself, and, where that is a hold, what an operator runs
and how it ends then.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import structs

from dnsplan.codec import seal
from dnsplan.names import parse_name
from dnsplan.plan import SCHEMA, Digest, Generation
from dnsplan.records import AliasTarget, Multivalue, RecordSet, Weighted
from enactor.rules.outcomes import HoldRule
from runbooks.controls.outside import Operator
from runbooks.controls.pinning import Pinning
from tests.fakes.notes import FakeExceptionsLog
from tests.fakes.world import a, cname
from tests.unit.adopting.hands import adopt, names, outside, planned
from tests.unit.starting_states.grounds import Ground

WWW, API = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.2")
NEW = a("www.example.com", "192.0.2.7")
MAIL = RecordSet(parse_name("mail.example.com"), "MX", 300, ("10 mx.example.net.",))
SPREAD = tuple(
    RecordSet(WWW.name, "A", 60, (f"192.0.2.{n}",), f"m{n}", Multivalue()) for n in (1, 2)
)
FOREIGN_OWNER = "f" * 32


@dataclass(frozen=True)
class Converges:
    """The zone holds the newest plan, whole, and others' records as they were."""


@dataclass(frozen=True)
class HoldsName:
    """The plan stands but for one name, which keeps what it has; `mend` as in a row."""

    name: RecordSet


@dataclass(frozen=True)
class Holds:
    """Nothing is written; the hold names this rule and this command."""

    rule: HoldRule
    command: str


Ending: TypeAlias = Converges | HoldsName | Holds
Doing: TypeAlias = Callable[[Ground], Awaitable[None]]


@dataclass(frozen=True)
class State:
    """One row. `mend` is what the named command (and the planner after it) does; then it
    converges, unless `mend` is None."""

    begin: Doing
    ends: Ending
    mend: Doing | None = None
    on_wire: bool = False


async def name_missing(ground: Ground) -> None:
    """A managed name was deleted by hand, and the next plan changes it."""
    await ground.applied(WWW, API)
    ground.edit(("DELETE", WWW))
    await ground.stage.publish(NEW, API)


async def quiet_name_missing(ground: Ground) -> None:
    """A managed name was deleted by hand, and no plan speaks of it: the audit looks around."""
    await ground.applied(WWW, API)
    ground.edit(("DELETE", WWW))
    await ground.audited()


async def fence_missing_equal(ground: Ground) -> None:
    """The fence was deleted, the zone still holds the applied plan."""
    await ground.applied(WWW, API)
    await ground.lose_fence()
    await ground.stage.publish(NEW, API)


async def fence_missing_otherwise(ground: Ground) -> None:
    """The fence was deleted, and a managed name was changed."""
    await ground.applied(WWW, API)
    await ground.lose_fence()
    ground.edit(("DELETE", WWW), ("CREATE", NEW))


async def fence_missing_emptied(ground: Ground) -> None:
    """Fence and managed names were deleted together."""
    await ground.applied(WWW, API)
    ground.edit(("DELETE", WWW), ("DELETE", API), ("DELETE", await ground.standing_fence()))


async def fence_damaged(ground: Ground) -> None:
    """The fence was edited, so that it cannot be read."""
    await ground.applied(WWW, API)
    await ground.damage_fence()


async def fence_damaged_emptied(ground: Ground) -> None:
    """The fence was edited and the managed names deleted."""
    await ground.applied(WWW, API)
    ground.edit(("DELETE", WWW), ("DELETE", API))
    await ground.damage_fence()


async def foreign_fence(ground: Ground) -> None:
    """Another deployment writes this zone."""
    await ground.applied(WWW, API)
    await ground.move_fence(owner=FOREIGN_OWNER)
    await ground.stage.publish(NEW, API)


async def half_a_plan(ground: Ground) -> None:
    """A dead enactor left step 1 of 2: one name is new, the other is not."""
    await ground.applied(WWW, API)
    plan = await ground.stage.publish(NEW, a("api.example.com", "192.0.2.8"))
    digest = (await ground.stage.item()).head_digest
    ground.set_item(claimed=plan.generation)
    ground.edit(("DELETE", WWW), ("CREATE", NEW))
    await ground.move_fence(generation=plan.generation, steps=2, digest=digest)


async def half_a_plan_overtaken(ground: Ground) -> None:
    """The same, and a newer plan was published meanwhile."""
    await half_a_plan(ground)
    await ground.stage.publish(a("www.example.com", "192.0.2.9"), API)


def alias(name: str, to: RecordSet, zone_id: str) -> RecordSet:
    """An alias in the same zone."""
    target = AliasTarget(zone_id, to.name, evaluate_target_health=False)
    return RecordSet(parse_name(name), "A", None, (), alias=target)


async def dangling_alias(ground: Ground) -> None:
    """An alias lost its target by hand; the next plan states both."""
    to = alias("shop.example.com", WWW, ground.stage.zone.zone_id)
    await ground.applied(WWW, API, to)
    ground.edit(("DELETE", WWW))
    await ground.stage.publish(NEW, API, to)


async def alias_to_nothing(ground: Ground) -> None:
    """A plan states an alias of a name that is nowhere."""
    await ground.applied(WWW, API)
    to = alias("shop.example.com", a("gone.example.com"), ground.stage.zone.zone_id)
    await ground.stage.publish(NEW, API, to)


async def fence_body_missing(ground: Ground) -> None:
    """The body of the plan at the fence is gone, so nothing explains a name that changes."""
    await ground.applied(WWW, API)
    del ground.stage.archive.bodies[(await ground.stage.item()).head_id]
    await ground.stage.publish(WWW, a("api.example.com", "192.0.2.8"))


async def head_body_missing(ground: Ground) -> None:
    """The body of the newest plan is gone."""
    await ground.applied(WWW, API)
    await ground.stage.publish(NEW, API)
    del ground.stage.archive.bodies[(await ground.stage.item()).head_id]


async def head_of_a_newer_release(ground: Ground) -> None:
    """The newest plan was written by a release that knows more than this one."""
    await ground.applied(WWW, API)
    plan = await ground.stage.publish(NEW, API)
    newer = seal(structs.replace(plan, schema=SCHEMA + 1))
    ground.stage.archive.bodies[newer.plan_id] = newer
    ground.set_item(head_digest=newer.plan_id.digest)


async def item_of_a_newer_release(ground: Ground) -> None:
    """So was the item."""
    await ground.applied(WWW, API)
    await ground.stage.publish(NEW, API)
    ground.stage.table.unreadable["shop"] = "the item gen#shop has schema 2; this release reads 1"


async def zone_made_again(ground: Ground) -> None:
    """The hosted zone was deleted and made again: another id, no records."""
    await ground.applied(WWW, API)
    await ground.remake_zone()


async def zone_made_again_with_records(ground: Ground) -> None:
    """The same, and people put some records back."""
    await ground.applied(WWW, API)
    await ground.remake_zone()
    ground.edit(("CREATE", NEW), ("CREATE", MAIL))
    ground.kept.add(MAIL)


async def policy_changed(ground: Ground) -> None:
    """Members of a managed name were replaced by one simple set; the next plan changes the name."""
    await ground.applied(*SPREAD, API)
    ground.edit(*(("DELETE", one) for one in SPREAD), ("CREATE", NEW))
    third = RecordSet(WWW.name, "A", 60, ("192.0.2.3",), "m3", Multivalue())
    await ground.stage.publish(*SPREAD, third, API)


async def policy_weighted(ground: Ground) -> None:
    """Members of a managed name were made weighted by hand, one with weight 0."""
    await ground.applied(*SPREAD, API)
    ground.edit(*(("DELETE", one) for one in SPREAD))
    for weight, one in zip((0, 9), SPREAD, strict=True):
        ground.edit(
            ("CREATE", RecordSet(one.name, "A", 60, one.values, one.set_id, Weighted(weight)))
        )
    await ground.stage.publish(NEW, API)


async def type_changed(ground: Ground) -> None:
    """A managed name was made a CNAME by hand; the next plan changes its address."""
    await ground.applied(WWW, API)
    ground.edit(("DELETE", WWW), ("CREATE", cname("www.example.com", "elsewhere.example.net.")))
    await ground.stage.publish(NEW, API)


async def names_held(ground: Ground) -> None:
    """A name was held at the last plan; the next one states what can stand."""
    await alias_to_nothing(ground)
    await ground.converge()
    to = alias("shop.example.com", API, ground.stage.zone.zone_id)
    await ground.stage.publish(NEW, API, to)


async def names_held_unnoted(ground: Ground) -> None:
    """The same, and the note of what was held is lost."""
    await names_held(ground)
    notes = ground.stage.exceptions
    assert isinstance(notes, FakeExceptionsLog)
    notes.rows.clear()


async def name_of_others(ground: Ground) -> None:
    """The next plan states a name that people made since."""
    await ground.applied(API)
    ground.edit(("CREATE", WWW))
    await ground.stage.publish(NEW, API)


async def before_any_plan(ground: Ground) -> None:
    """Nothing was ever published."""
    ground.edit(("CREATE", WWW))
    ground.kept.add(WWW)


async def records_before_the_first_plan(ground: Ground) -> None:
    """Records stand at stated names before the first plan."""
    ground.edit(("CREATE", WWW), ("CREATE", MAIL))
    ground.kept.add(MAIL)
    await ground.stage.publish(NEW, API)


async def unmanaged_before_the_first_plan(ground: Ground) -> None:
    """Only others' records stand before the first plan."""
    ground.edit(("CREATE", MAIL))
    ground.kept.add(MAIL)
    await ground.stage.publish(NEW, API)


async def fence_above_head(ground: Ground) -> None:
    """The zone was restored by hand, or the table went back."""
    await ground.applied(WWW, API)
    await ground.move_fence(generation=Generation(1_000_000))


async def other_content_at_head(ground: Ground) -> None:
    """The fence names head's number with another digest."""
    await ground.applied(WWW, API)
    await ground.move_fence(digest=Digest("e" * 64))


async def fence_went_back(ground: Ground) -> None:
    """Route 53 lost accepted changes: the fence is older than what is noted as applied."""
    await ground.applied(WWW, API)
    before = await ground.standing_fence()
    await ground.applied(NEW, API)
    now = await ground.standing_fence()
    ground.edit(("DELETE", now), ("CREATE", before), ("DELETE", NEW), ("CREATE", WWW))


async def other_table(ground: Ground) -> None:
    """The item was copied into another table."""
    await ground.applied(WWW, API)
    ground.set_item(incarnation="table-0")


async def frozen(ground: Ground) -> None:
    """An operator froze the zone."""
    await ground.applied(WWW, API)
    await ground.stage.publish(NEW, API)
    ground.set_item(frozen="f1")
    await ground.move_fence(frozen="f1")


async def thawed(ground: Ground) -> None:
    """The freeze is ended as the hold says."""
    await ground.move_fence(frozen=None)
    ground.set_item(frozen=None)


async def beyond_pin(ground: Ground) -> None:
    """A pin was put back below what the zone holds, by somebody who edits tables."""
    await ground.applied(WWW, API)
    first = await ground.stage.item()
    await ground.applied(NEW, API)
    ground.set_item(pin=Generation(1), pin_digest=first.head_digest)


async def upgraded(ground: Ground) -> None:
    """The release that reads it is installed."""
    del ground.stage.table.unreadable["shop"]


async def unpinned(ground: Ground) -> None:
    """The pin is ended as the hold says."""
    hand = Pinning(outside(ground.stage), Operator("ann", ""))
    await hand.unpin(ground.stage.zone)


async def adopted(ground: Ground) -> None:
    """The zone is adopted as the hold says, and the planner goes on."""
    await adopt(ground.stage, names(NEW, API))
    await planned(ground.stage, names(NEW, API))


async def bound(ground: Ground) -> None:
    """The empty zone is bound to its label as the hold says."""
    await adopt(ground.stage, names(WWW, API))


ADOPT, RECONCILE = "dns-runbook adopt shop", "dns-runbook reconcile shop"
EXPLAIN = "dns-runbook explain shop"
R = HoldRule

STATES: tuple[State, ...] = (
    State(name_missing, Converges(), on_wire=True),
    State(quiet_name_missing, Converges()),
    State(fence_missing_equal, Converges(), on_wire=True),
    State(fence_missing_otherwise, Holds(R.FENCE_MISSING, ADOPT), adopted, on_wire=True),
    State(fence_missing_emptied, Converges()),
    State(fence_damaged, Holds(R.FENCE_DAMAGED, ADOPT), adopted, on_wire=True),
    State(fence_damaged_emptied, Holds(R.FENCE_DAMAGED, ADOPT), adopted),
    State(foreign_fence, Holds(R.FOREIGN_OWNER, EXPLAIN)),
    State(half_a_plan, Converges(), on_wire=True),
    State(half_a_plan_overtaken, Converges()),
    State(dangling_alias, Converges(), on_wire=True),
    State(alias_to_nothing, HoldsName(a("shop.example.com"))),
    State(fence_body_missing, Holds(R.PLAN_UNUSABLE, ADOPT), adopted),
    State(head_body_missing, Holds(R.PLAN_UNUSABLE, RECONCILE)),
    State(head_of_a_newer_release, Holds(R.PLAN_UNUSABLE, "dns-runbook history shop")),
    State(item_of_a_newer_release, Holds(R.ITEM_UNREADABLE, "dns-runbook status shop"), upgraded),
    State(zone_made_again, Holds(R.OTHER_ZONE, ADOPT), bound, on_wire=True),
    State(zone_made_again_with_records, Holds(R.OTHER_ZONE, ADOPT), adopted),
    State(policy_changed, Converges(), on_wire=True),
    State(policy_weighted, Converges()),
    State(type_changed, Converges()),
    State(names_held, Converges()),
    State(names_held_unnoted, Converges()),
    State(name_of_others, HoldsName(WWW), adopted, on_wire=True),
    State(before_any_plan, Holds(R.NO_PLAN, "dns-planner plan")),
    State(records_before_the_first_plan, Holds(R.FENCE_MISSING, ADOPT), adopted),
    State(unmanaged_before_the_first_plan, Converges()),
    State(fence_above_head, Holds(R.AHEAD, RECONCILE)),
    State(other_content_at_head, Holds(R.AHEAD, RECONCILE)),
    State(fence_went_back, Converges(), on_wire=True),
    State(other_table, Holds(R.FOREIGN_TABLE, RECONCILE)),
    State(frozen, Holds(R.FROZEN, "dns-runbook thaw shop f1"), thawed),
    State(beyond_pin, Holds(R.BEYOND_PIN, "dns-runbook unpin shop"), unpinned),
)
