"""Small pools, sights and zones for the planner's tests, stated as shortly as can be."""

from collections.abc import Iterable, Mapping

from dnsplan.codec import seal
from dnsplan.guardrails import Limits
from dnsplan.names import Name, parse_name
from dnsplan.normal import normal_form
from dnsplan.plan import SCHEMA, Generation, NameLedger, Plan, Retirement, sorted_content
from dnsplan.records import AliasTarget, Multivalue, RecordSet, Unit, unit_of
from dnsplan.velocity import VelocityLimit
from planner.rules.candidate import Candidate, ZoneWish
from planner.rules.health import Observation, Phase, Sight, TargetHealth
from planner.rules.notes import Place, Why
from planner.rules.pools import Member, Policy, PoolUnit
from planner.rules.selection import LeftOut, Selection, select
from planner.rules.standing import NOTHING, Standing, standing_of

ZONE = parse_name("example.com.")
NAME = parse_name("www.example.com.")
NOW_S = 1_760_000_000
LIMIT = VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300)
OWNER = "0" * 31 + "1"


def address(target_id: str) -> str:
    """A stable address for a one-letter or numbered target."""
    return f"192.0.2.{sum(ord(c) * 7**i for i, c in enumerate(target_id)) % 250 + 1}"


def member(
    target_id: str, *, capacity: int = 100, answer: str | None = None, probed: bool = True
) -> Member:
    """A target of the pool `web`."""
    return Member(
        key=("web", target_id),
        answer=answer or address(target_id),
        alias=None,
        capacity=capacity,
        is_probed=probed,
    )


def alias_member(target_id: str, name: str, *, capacity: int = 100) -> Member:
    """An alias target."""
    alias = AliasTarget("Z2", parse_name(name), evaluate_target_health=True)
    return Member(
        key=("web", target_id), answer=alias.name, alias=alias, capacity=capacity, is_probed=False
    )


def pool(
    *members: Member | str,
    policy: Policy = Policy.MULTIVALUE,
    name: Name = NAME,
    record_type: str = "A",
    limit: VelocityLimit = LIMIT,
    panic_threshold: float = 0.5,
    ttl_s: int = 30,
) -> PoolUnit:
    """A pool-driven name; a text is a target of capacity 100."""
    made = [one if isinstance(one, Member) else member(one) for one in members]
    return PoolUnit(
        name=name,
        type=record_type,
        ttl_s=ttl_s,
        policy=policy,
        members=tuple(sorted(made, key=lambda one: one.target_id)),
        capacity_max=max((one.capacity for one in made), default=0),
        panic_threshold=panic_threshold,
        limit=limit,
        first_look_s=10.0,
    )


def healthy(since_s: float = 1.0) -> TargetHealth:
    """Proven healthy."""
    return TargetHealth(Phase.HEALTHY, since_s, 2, Observation(since_s, True, "ok"))


def sick(since_s: float = 1.0) -> TargetHealth:
    """Proven unhealthy."""
    return TargetHealth(Phase.UNHEALTHY, since_s, 3, Observation(since_s, False, "refused"))


def seen(good: bool, at_s: float = 1.0) -> TargetHealth:
    """Looked at once, and not proven."""
    return TargetHealth(Phase.UNKNOWN, 0.0, 1, Observation(at_s, good, "once"))


def sight(now_s: float = 100.0, **states: TargetHealth) -> Sight:
    """What is known of the targets of the pool `web`; those left out were never seen."""
    return Sight({("web", key): state for key, state in states.items()}, 0.0, now_s)


def chosen(
    unit: PoolUnit,
    view: Sight,
    standing: Iterable[RecordSet] = (),
    ledger: NameLedger | None = None,
    *,
    now_s: int = NOW_S,
) -> Selection:
    """The selection, when the unit is not left out."""
    result = select(unit, tuple(standing), ledger, view, now_s=now_s)
    assert not isinstance(result, LeftOut)
    return result


def ids(selection: Selection) -> list[str]:
    """Target ids that answer."""
    return [one.target_id for one in selection.members]


def why(selection: Selection) -> dict[str | None, tuple[Place, Why]]:
    """Place and reason of each target."""
    return {note.target_id: (note.place, note.why) for note in selection.notes}


def multivalue(*target_ids: str, name: Name = NAME, ttl_s: int = 30) -> tuple[RecordSet, ...]:
    """What a multivalue name holds when these targets answer."""
    return tuple(
        RecordSet(name, "A", ttl_s, (address(one),), one, Multivalue()) for one in target_ids
    )


def stated(*record_sets: RecordSet) -> Mapping[Unit, tuple[RecordSet, ...]]:
    """Record sets of the config, by unit."""
    grouped: dict[Unit, list[RecordSet]] = {}
    for one in sorted(map(normal_form, record_sets), key=lambda one: (unit_of(one), one.set_id)):
        grouped.setdefault(unit_of(one), []).append(one)
    return {unit: tuple(sets) for unit, sets in grouped.items()}


def a(name: str, *values: str) -> RecordSet:
    """A simple A record set."""
    return normal_form(RecordSet(parse_name(name), "A", 60, values))


def cname(name: str, value: str) -> RecordSet:
    """A CNAME."""
    return normal_form(RecordSet(parse_name(name), "CNAME", 60, (value,)))


def wish(
    *driven: PoolUnit,
    records: Iterable[RecordSet] = (),
    label: str = "shop",
) -> ZoneWish:
    """What a config says about the zone."""
    return ZoneWish(
        label=label,
        zone=ZONE,
        stated=stated(*records),
        driven=driven,
        limits=Limits(LIMIT, {one.unit: one.limit for one in driven}),
    )


def plan(
    *content: RecordSet,
    ledger: tuple[NameLedger, ...] = (),
    retired: tuple[Retirement, ...] = (),
    generation: int = 7,
    created_s: int = NOW_S - 1000,
    owner: str = OWNER,
    label: str = "shop",
) -> Plan:
    """A published plan."""
    return Plan(
        schema=SCHEMA,
        owner=owner,
        label=label,
        zone=ZONE,
        generation=Generation(generation),
        base=Generation(generation - 1),
        created_s=created_s,
        author="planner/test",
        reason="a test",
        content=sorted_content(content),
        ledger=ledger,
        retired=retired,
    )


def standing(*content: RecordSet, **fields: object) -> Standing:
    """The newest plan, indexed; nothing stated means that there is none."""
    if not content and not fields:
        return NOTHING
    made = plan(*content, **fields)  # type: ignore[arg-type]  # forwarded as they are
    return standing_of(made, seal(made).plan_id)


def planned(candidate: Candidate, before: Standing, *, now_s: int = NOW_S) -> Plan:
    """The plan that a candidate becomes."""
    generation = 1 if before.plan is None else before.plan.generation + 1
    return plan(
        *candidate.content(),
        ledger=candidate.sorted_ledger(),
        retired=candidate.retired,
        generation=generation,
        created_s=now_s,
    )
