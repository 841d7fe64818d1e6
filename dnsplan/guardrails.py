"""Pure rules that can refuse a plan: P2, P6, the floor, and velocity; `bounds` has two more.

The planner judges a candidate against the newest plan; every enactor judges again, against what the
zone really holds. A violation states rule, name, measured number and limit, so that an operator can
decide without reading code. `never_empty` and `hands_off` cannot be waived by anybody.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dnsplan.bounds import UNBOUNDED, Bounds, beyond
from dnsplan.diff import NameChange, diff
from dnsplan.fence import fence_name
from dnsplan.loops import leading, loops, types_by_name
from dnsplan.names import Name, display
from dnsplan.normal import normal_form
from dnsplan.places import elsewhere
from dnsplan.plan import Plan, may_end
from dnsplan.records import RecordSet, Unit, heard, key_of, leads_to, loses_answers
from dnsplan.shards import seen_through, whole_pools
from dnsplan.velocity import VelocityLimit, allowance, catch_up_allowance, spent_in_window
from dnsplan.violation import Violation, violation
from dnsplan.wildcards import silenced

NEVER_EMPTY = "never_empty"
HANDS_OFF = "hands_off"
FLOOR = "floor"
VELOCITY = "velocity"

UNWAIVABLE = frozenset({NEVER_EMPTY, HANDS_OFF})
APEX_TYPES_OFF_LIMITS = frozenset({"NS", "SOA", "DS", "DNSKEY"})


@dataclass(frozen=True, slots=True)
class Limits:
    """The floor and velocity of a zone's pool-driven names, and the bounds on all that changes."""

    default: VelocityLimit
    special: Mapping[Unit, VelocityLimit] = field(default_factory=dict)
    bounds: Bounds = UNBOUNDED

    def of(self, unit: Unit) -> VelocityLimit:
        """The limit that holds for this name and type."""
        return self.special.get(unit, self.default)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What stands beside a plan, with names that may differ. `there` and `wanted` hold these names
    alone: a plan may hold 300,000 record sets, and few of them change."""

    standing: Sequence[RecordSet]
    plan: Plan
    names: Collection[Name]
    there: Mapping[Unit, tuple[RecordSet, ...]]
    wanted: Mapping[Unit, tuple[RecordSet, ...]]

    def answers(self, unit: Unit) -> tuple[frozenset[str], frozenset[str]]:
        """What a pool's name answers before and after: that of its shards, where it has any."""
        return answers(seen_through(self.there, unit)), answers(seen_through(self.wanted, unit))


def judge(
    standing: Iterable[RecordSet], plan: Plan, limits: Limits, *, standing_since_s: int | None
) -> tuple[Violation, ...]:
    """Judge a plan against what stands: the newest plan's content, or the live zone.

    `standing_since_s` is when the standing content was planned; None means unknown age, and
    velocity then counts one window.
    """
    standing = tuple(standing)
    changes = diff(standing, plan.content)
    seen = _compared(standing, {one.name for one in changes}, plan)
    found = [
        *hands_off(plan),
        *never_empty(seen),
        *_without_default(seen),
        *floors(seen, limits),
        *velocities(seen, limits, standing_since_s=standing_since_s),
        *windows(seen, limits),
        *beyond(seen.there, seen.wanted, plan, limits.bounds, is_first=not standing),
    ]
    return unwaived(found, plan, since=plan.generation - 1)


def judge_live(
    live: Sequence[RecordSet],
    changes: Sequence[NameChange],
    plan: Plan,
    limits: Limits,
    *,
    since: int,
) -> tuple[Violation, ...]:
    """P2, P6 and the floor against what the zone holds; `since` is the generation it had whole.

    Velocity is not judged here: what people added to the zone by hand was never a target, and
    after an outage the zone is far behind while the plans between kept to their windows.
    """
    seen = _compared(live, {one.name for one in changes}, plan)
    found = [*hands_off(plan), *never_empty(seen), *floors(seen, limits)]
    return unwaived(found, plan, since=since)


def judge_velocity(base: Plan, plan: Plan, limits: Limits) -> tuple[Violation, ...]:
    """Velocity between two plans, by the time between them; only the ledger's names have any."""
    seen = _compared(base.content, {one.name for one in plan.ledger}, plan)
    found = velocities(seen, limits, standing_since_s=base.created_s)
    return unwaived(found, plan, since=base.generation)


def unwaived(found: Iterable[Violation], plan: Plan, *, since: int) -> tuple[Violation, ...]:
    """What is left after the waivers of the generations after `since`; two rules ignore them."""
    waived = {one.rule for one in plan.waivers if one.generation > since} - UNWAIVABLE
    return tuple(one for one in found if one.rule not in waived)


def never_empty(seen: Comparison) -> list[Violation]:
    """No name and no type of a name ends but by `retire`; a type may give way to or from CNAME.
    Nor does one end to which an alias or a CNAME of the plan leads: that would answer nothing."""
    plan, there, wanted = seen.plan, seen.there, seen.wanted
    found = []
    ended = set()
    if not plan.content and not plan.retired:
        text = "the plan has no record sets"
        found.append(violation(NEVER_EMPTY, plan, display(plan.zone), text, "at least one"))
    names_wanted = {name for name, _ in wanted}
    for unit, record_sets in there.items():
        if answers(wanted.get(unit, ())):
            continue
        name, record_type = unit
        retired = all(may_end(plan, key_of(one)) for one in record_sets)
        switches = record_type == "CNAME" or (name, "CNAME") in wanted
        if unit not in wanted and (retired or (name in names_wanted and switches)):
            ended.add(unit)
            continue
        text = f"{record_type} would have no answers"
        found.append(violation(NEVER_EMPTY, plan, display(name), text, "retire is the only way"))
    found.extend(_led_round(seen))
    quiet = silenced(seen.standing, plan.content, (there, wanted), plan.zone)
    for name, text, limit in quiet:
        found.append(violation(NEVER_EMPTY, plan, display(name), text, limit))
    return [*found, *_left_behind(ended, wanted, plan)]


def _without_default(seen: Comparison) -> Iterable[Violation]:
    """Between plans alone: a default that a stranger puts into a zone must not hold it."""
    for name, text, limit in elsewhere(seen.there, seen.wanted):
        yield violation(NEVER_EMPTY, seen.plan, display(name), text, limit)


def _led_round(seen: Comparison) -> Iterable[Violation]:
    """Names that answer now and that the plan would lead back to themselves."""
    plan, had = seen.plan, {name for name, _ in seen.there}
    starts = [
        unit
        for unit, sets in seen.wanted.items()
        if unit[0] in had and any(leads_to(sets, plan.zone))
    ]
    led = dict(loops(starts, leading(plan.content), plan.zone)) if starts else {}
    before = dict(loops(led, leading(map(normal_form, seen.standing)), plan.zone)) if led else {}
    for name, record_type in sorted(led.keys() - before.keys()):
        text = led[name, record_type]
        yield violation(NEVER_EMPTY, plan, display(name), text, "lead elsewhere")


def _left_behind(
    ended: Collection[Unit], wanted: Collection[Unit], plan: Plan
) -> Iterable[Violation]:
    """Aliases and CNAMEs of the plan whose target in the zone ends."""
    gone, stays = types_by_name(ended), types_by_name(wanted)
    for one in plan.content if ended else ():
        for target, record_type in leads_to((one,), plan.zone):
            if loses_answers(gone.get(target, ()), stays.get(target, ()), record_type):
                how = "a CNAME to" if record_type is None else f"{record_type} is an alias of"
                text = f"{how} {display(target)}, which ends"
                limit = "point it elsewhere, or retire both"
                yield violation(NEVER_EMPTY, plan, display(one.name), text, limit)


def hands_off(plan: Plan) -> list[Violation]:
    """Nothing outside the zone, not the fence, and no NS, SOA, DS or DNSKEY at the apex."""
    fence, below = fence_name(plan.zone), f".{plan.zone}"
    found = []
    # Every record set of every plan is asked this, so the usual answer costs no call of ours.
    for one in [one for one in plan.content if not one.name.endswith(below) or one.name == fence]:
        shown = display(one.name)
        if one.name == fence:
            text = f"{one.type} at the fence's own name"
            found.append(violation(HANDS_OFF, plan, shown, text, "enactor only"))
        elif one.name != plan.zone:
            text = f"{one.type} outside the zone"
            found.append(violation(HANDS_OFF, plan, shown, text, plan.zone))
        elif one.type in APEX_TYPES_OFF_LIMITS:
            text = f"{one.type} stated at the apex"
            found.append(violation(HANDS_OFF, plan, shown, text, "never managed"))
    return found


def floors(seen: Comparison, limits: Limits) -> list[Violation]:
    """No changed pool-driven name has fewer answers than the floor, while it has that many targets.

    A name that is below the floor already may get better, or change otherwise.
    """
    found = []
    for ledger in seen.plan.ledger:
        if ledger.name not in seen.names:
            continue
        unit = (ledger.name, ledger.type)
        before, after = seen.answers(unit)
        floor = min(limits.of(unit).min_targets, ledger.targets)
        if len(after) < floor and (not before or len(after) < len(before)):
            measured = f"{len(after)} of {ledger.targets} targets answer"
            found.append(violation(FLOOR, seen.plan, display(ledger.name), measured, f"{floor}"))
    return found


def velocities(
    seen: Comparison, limits: Limits, *, standing_since_s: int | None
) -> list[Violation]:
    """No pool-driven name loses more targets than its windows since the standing plan allow."""
    plan = seen.plan
    ledgers = {(one.name, one.type): one for one in plan.ledger}
    elapsed_s = 0 if standing_since_s is None else plan.created_s - standing_since_s
    found = []
    for unit in seen.there:
        ledger = ledgers.get(unit)
        if ledger is None or unit not in seen.wanted:
            continue
        before, after = seen.answers(unit)
        limit = limits.of(unit)
        allowed = catch_up_allowance(
            limit, targets=max(ledger.targets, len(before)), elapsed_s=elapsed_s
        )
        if (removed := len(before - after)) > allowed:
            measured = f"{removed} of {len(before)} targets taken out in {max(0, elapsed_s)} s"
            text = f"{allowed} ({limit.max_removed_share:g} a window of {limit.window_s} s)"
            found.append(violation(VELOCITY, plan, display(unit[0]), measured, text))
    return found


def windows(seen: Comparison, limits: Limits) -> list[Violation]:
    """No plan takes out more targets than its own ledger leaves of the window that ends with it.

    Several plans can take out one target each where one plan might not take out two.
    """
    plan = seen.plan
    found = []
    for ledger in plan.ledger:
        unit = (ledger.name, ledger.type)
        if unit not in seen.there:
            continue
        before, after = seen.answers(unit)
        limit = limits.of(unit)
        allowed = allowance(limit, max(ledger.targets, len(before)))
        spent = spent_in_window(ledger, limit, plan.created_s)
        if 0 < len(before - after) <= allowed < spent:  # one plan's excess is said by velocities
            measured = f"{spent} targets taken out in {limit.window_s} s"
            text = f"{allowed} ({limit.max_removed_share:g} a window of {limit.window_s} s)"
            found.append(violation(VELOCITY, plan, display(unit[0]), measured, text))
    return found


def answers(record_sets: Iterable[RecordSet]) -> frozenset[str]:
    """What one name and type can answer: values or alias targets of members with weight.

    All weights zero means that all answer.
    """
    return frozenset(
        answer
        for one in heard(record_sets)
        for answer in (one.values or ((one.alias.name,) if one.alias else ()))
    )


def _compared(standing: Sequence[RecordSet], names: Collection[Name], plan: Plan) -> Comparison:
    return Comparison(standing, plan, *whole_pools(names, standing, plan.content))
