"""What people want of a zone, version after version, drawn from a seed.

A version states record sets and pools; the next one changes values, TTLs, types and routing, adds
and drops names, adds and drains targets. A name that is dropped lives on: only `retire` ends it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from random import Random

from dnsplan.guardrails import Limits
from dnsplan.names import Name, parse_name
from dnsplan.normal import normal_form
from dnsplan.records import AliasTarget, RecordSet, key_of, unit_of
from dnsplan.velocity import VelocityLimit
from planner.rules.candidate import ZoneWish
from planner.rules.health import Hysteresis
from planner.rules.pools import Member, Policy, PoolUnit
from planner.rules.probing import Probe, TcpCheck, Watched
from planner.wording import wording_of

# Short against AWS's, so that several windows fit into a run.
WINDOW_S = 40
LIMIT = VelocityLimit(min_targets=2, max_removed_share=0.25, window_s=WINDOW_S)
LIMITS = Limits(LIMIT)
PROBE_EVERY_S = 6.0
PROBE_TIMEOUT_S = 1.0
PANIC_THRESHOLD = 0.5
HYSTERESIS = Hysteresis(rise=2, fall=3, gap_s=40.0)

HOSTS = 9
TARGETS = 4


@dataclass(frozen=True, slots=True)
class Stated:
    """One record set that the config states: addresses, or a name that it is a CNAME of."""

    values: tuple[str, ...]
    type: str = "A"
    ttl_s: int = 60


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool-driven name: target numbers, and those whose capacity is 0."""

    policy: Policy
    targets: tuple[int, ...]
    drained: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Intent:
    """One version of a zone's config."""

    zone: str
    zone_id: str
    version: int
    stated: Mapping[str, Stated]
    pools: Mapping[str, Pool]
    aliases: Mapping[str, str]

    def names(self) -> frozenset[Name]:
        """All names that this version states."""
        return frozenset(
            parse_name(f"{label}.{self.zone}")
            for label in (*self.stated, *self.pools, *self.aliases)
        )


def first_intent(zone: str, zone_id: str, chance: Random) -> Intent:
    """Some hosts, a CNAME, two pools and an alias to one of them."""
    stated = {f"h{at}": _addresses(chance) for at in range(HOSTS)}
    stated["www"] = Stated((f"web.{zone}",), "CNAME", 300)
    pools = {
        "api": Pool(Policy.WEIGHTED, tuple(range(1, TARGETS + 1))),
        "web": Pool(Policy.MULTIVALUE, tuple(range(11, 11 + TARGETS))),
    }
    return Intent(zone, zone_id, 1, stated, pools, {"alias": "h0"})


def next_intent(now: Intent, chance: Random) -> Intent:
    """The next version: one to three changes."""
    changed = replace(now, version=now.version + 1)
    for _ in range(chance.randint(1, 3)):
        changed = chance.choice(_CHANGES)(changed, chance)
    return changed


def wish_of(intent: Intent, label: str) -> ZoneWish:
    """As the planner's config gives it."""
    zone = parse_name(intent.zone)
    sets = sorted(_record_sets(intent), key=key_of)
    return ZoneWish(
        label=label,
        zone=zone,
        stated={unit: tuple(group) for unit, group in groupby(sets, key=unit_of)},
        driven=tuple(_pool_unit(intent, name) for name in sorted(intent.pools)),
        limits=LIMITS,
    )


def worded(wish: ZoneWish) -> ZoneWish:
    """The same as a planner's config gives it that lets changes out in waves."""
    return replace(wish, wording=wording_of(wish.stated, (), {}))


def watched_of(intent: Intent) -> tuple[Watched, ...]:
    """Every target, each once."""
    return tuple(
        Watched(
            key=(name, f"t{target}"),
            probe=Probe(address_of(target), TcpCheck(443), PROBE_TIMEOUT_S),
            interval_s=PROBE_EVERY_S,
            hysteresis=HYSTERESIS,
            panic_threshold=PANIC_THRESHOLD,
        )
        for name, pool in sorted(intent.pools.items())
        for target in pool.targets
    )


def address_of(target: int) -> str:
    """A target's address."""
    return f"192.0.2.{target}"


def _record_sets(intent: Intent) -> Iterator[RecordSet]:
    for label, stated in intent.stated.items():
        name = parse_name(f"{label}.{intent.zone}")
        yield normal_form(RecordSet(name, stated.type, stated.ttl_s, stated.values))
    for label, target in intent.aliases.items():
        alias = AliasTarget(intent.zone_id, parse_name(f"{target}.{intent.zone}"), False)
        yield normal_form(
            RecordSet(parse_name(f"{label}.{intent.zone}"), "A", None, (), alias=alias)
        )


def _pool_unit(intent: Intent, label: str) -> PoolUnit:
    pool = intent.pools[label]
    members = [
        Member(
            key=(label, f"t{target}"),
            answer=address_of(target),
            alias=None,
            capacity=0 if target in pool.drained else 100,
            is_probed=True,
        )
        for target in pool.targets
    ]
    return PoolUnit(
        name=parse_name(f"{label}.{intent.zone}"),
        type="A",
        ttl_s=30,
        policy=pool.policy,
        members=tuple(sorted(members, key=lambda one: one.target_id)),
        capacity_max=100,
        panic_threshold=PANIC_THRESHOLD,
        limit=LIMIT,
        first_look_s=PROBE_EVERY_S + 2 * PROBE_TIMEOUT_S + 1,
    )


def _addresses(chance: Random) -> Stated:
    values = {f"198.51.100.{chance.randint(1, 254)}" for _ in range(chance.randint(1, 2))}
    return Stated(tuple(sorted(values)))


def _many_values(now: Intent, chance: Random) -> Intent:
    """More changes than a batch holds."""
    hosts = [label for label in now.stated if label.startswith("h")]
    changed = {label: _addresses(chance) for label in sorted(hosts)}
    return replace(now, stated={**now.stated, **changed})


def _some_values(now: Intent, chance: Random) -> Intent:
    hosts = sorted(label for label in now.stated if label.startswith("h"))
    changed = {label: _addresses(chance) for label in chance.sample(hosts, 2)}
    return replace(now, stated={**now.stated, **changed})


def _new_ttl(now: Intent, chance: Random) -> Intent:
    label = chance.choice(sorted(now.stated))
    ttl_s = chance.choice((30, 60, 120, 300))
    return replace(now, stated={**now.stated, label: replace(now.stated[label], ttl_s=ttl_s)})


def _other_type(now: Intent, chance: Random) -> Intent:
    """From addresses to a CNAME, or back."""
    label = chance.choice(["www", "h1", "h2"])
    if now.stated.get(label, Stated(())).type == "CNAME":
        other = _addresses(chance)
    else:
        other = Stated((f"api.{now.zone}",), "CNAME", 300)
    return replace(now, stated={**now.stated, label: other})


def _new_name(now: Intent, chance: Random) -> Intent:
    label = f"h{HOSTS + now.version}"
    return replace(now, stated={**now.stated, label: _addresses(chance)})


def _dropped_name(now: Intent, chance: Random) -> Intent:
    """Absence is never an instruction: the name must go on answering."""
    hosts = sorted(label for label in now.stated if label.startswith("h") and label != "h0")
    if len(hosts) < 4:
        return now
    gone = chance.choice(hosts)
    return replace(now, stated={label: one for label, one in now.stated.items() if label != gone})


def _other_targets(now: Intent, chance: Random) -> Intent:
    label = chance.choice(sorted(now.pools))
    pool = now.pools[label]
    first = min(pool.targets)
    targets = [one for one in pool.targets if chance.random() < 0.8] or [first]
    fresh = max(pool.targets) + 1
    if len(targets) < TARGETS and fresh < 250:
        targets.append(fresh)
    changed = Pool(pool.policy, tuple(sorted(targets)), pool.drained & frozenset(targets))
    return replace(now, pools={**now.pools, label: changed})


def _drained(now: Intent, chance: Random) -> Intent:
    label = chance.choice(sorted(now.pools))
    pool = now.pools[label]
    one = frozenset({chance.choice(pool.targets)})
    changed = replace(pool, drained=pool.drained ^ one)
    return replace(now, pools={**now.pools, label: changed})


_CHANGES = (
    _many_values,
    _many_values,
    _some_values,
    _new_ttl,
    _other_type,
    _new_name,
    _dropped_name,
    _other_targets,
    _drained,
)
