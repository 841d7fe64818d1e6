"""What truly is at every moment of a day, drawn from a seed before the day begins.

It knows nothing of plans. Probes and sources ask it; the judge asks it too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from planner.rules.probing import Bad, Good, NotAsked, ProbeResult
from planner.rules.roll import Found, Listing

AZS = ("az1", "az2", "az3")
TARGETS_AN_AZ = 4
HOUR_S = 3_600
# Nothing befalls the last part of a day: what was taken out has to come back.
CALM_S = 2_400

READY_AFTER_S = 40
LISTED_BEFORE_GONE_S = 180
SERVES_ON_S = 1_200
DEPLOY_EACH_S = 90
# In every other deploy nothing is applied, from before it until well after it: plans pile up.
STALLED_BEFORE_S, STALLED_S = 1_200, 4_200


@dataclass(frozen=True, slots=True)
class Spell:
    """Something that lasts from one second to another, and whom it befalls."""

    from_s: float
    until_s: float
    whom: frozenset[str]
    up_s: float = 0.0
    down_s: float = 0.0
    kind: str = ""

    def is_on(self, now_s: float) -> bool:
        """Whether it is so now. A flapping one is down for a while after each while up."""
        if not self.from_s <= now_s < self.until_s:
            return False
        return not self.up_s or (now_s - self.from_s) % (self.up_s + self.down_s) >= self.up_s


@dataclass(frozen=True, slots=True)
class Host:
    """A host of the fleet: in the list from one second to another, and serving for some longer."""

    id: str
    address: str
    az: str
    born_s: float
    leaves_s: float = float("inf")


@dataclass(slots=True)
class Truth:
    """One day."""

    length_s: int
    dead: list[Spell] = field(default_factory=list)
    cut: list[tuple[str, Spell]] = field(default_factory=list)
    blind: list[tuple[str, Spell]] = field(default_factory=list)
    lost: list[tuple[str, Spell]] = field(default_factory=list)
    lies: list[Spell] = field(default_factory=list)
    no_table: list[Spell] = field(default_factory=list)
    stalled: list[Spell] = field(default_factory=list)
    fleet: list[Host] = field(default_factory=list)
    # The fleet and `dead` by address: they are asked for hundreds of thousands of times.
    host_of: dict[str, Host] = field(default_factory=dict)
    dead_of: dict[str, list[Spell]] = field(default_factory=dict)

    def is_well(self, address: str, now_s: float) -> bool:
        """Whether the target serves."""
        host = self.host_of.get(address)
        if host is not None:
            starts_s = host.born_s and host.born_s + READY_AFTER_S
            if not starts_s <= now_s < host.leaves_s + SERVES_ON_S:
                return False
        return not any(one.is_on(now_s) for one in self.dead_of.get(address, ()))

    def probe(self, az: str, address: str, now_s: float) -> ProbeResult:
        """What the planner of an AZ finds."""
        for where, one in self.blind:
            if where == az and one.is_on(now_s):
                return NotAsked("no network") if one.kind == "told" else Bad("no route")
        if any(where == az and address in one.whom and one.is_on(now_s) for where, one in self.cut):
            return Bad("no route")
        return Good("connected") if self.is_well(address, now_s) else Bad("connection refused")

    def is_gone(self, az: str, now_s: float) -> bool:
        """Whether an AZ, and its planner with it, is lost."""
        return any(where == az and one.is_on(now_s) for where, one in self.lost)

    def is_stalled(self, now_s: float) -> bool:
        """Whether enactors apply nothing: they are throttled, or an operator froze the zone."""
        return any(one.is_on(now_s) for one in self.stalled)

    def hosts(self, now_s: float) -> list[Host]:
        """The fleet as its owner means it."""
        return [one for one in self.fleet if one.born_s <= now_s < one.leaves_s]

    def listing(self, now_s: float) -> Listing:
        """What the source of the fleet says."""
        targets = tuple(_found(one) for one in self.hosts(now_s))
        lie = next((one.kind for one in self.lies if one.is_on(now_s)), "")
        match lie:
            case "empty":
                return Listing(())
            case "short":
                return Listing(targets[: len(targets) // 2])
            case "error":
                return Listing(targets[:2], "the connection was reset")
            case "twice":
                return Listing((*targets, *targets[:3]))
        return Listing(targets)


def _found(host: Host) -> Found:
    return Found(
        id=host.id, address=host.address, alias=None, types=("A",), capacity=100, az=host.az
    )


def web_targets() -> Iterator[tuple[str, str, str]]:
    """Id, AZ and address of every target that the config states."""
    for at, az in enumerate(AZS):
        for number in range(TARGETS_AN_AZ):
            yield f"{az}-{number}", az, f"192.0.2.{10 * (at + 1) + number}"


def drawn(seed: int, length_s: int) -> Truth:
    """A day of this length: so many of everything an hour, some of it at the same time."""
    chance = Random(f"day {seed}")
    day = Truth(length_s)
    day.fleet = [
        Host(f"h{at}", f"198.51.100.{at + 1}", AZS[at % 3], 0.0) for at in range(3 * TARGETS_AN_AZ)
    ]
    _deploys(day, chance)
    web = [address for _, _, address in web_targets()]
    every = [*web, *(one.address for one in day.fleet)]
    for _ in _often(chance, day, 1.5):
        day.dead.append(_spell(chance, day, (300, 1_500), chance.sample(every, 1)))
    for _ in _often(chance, day, 1.0):
        beat = chance.choice(((1.0, 1.0), (20.0, 30.0), (70.0, 40.0), (100.0, 45.0)))
        one = _spell(chance, day, (600, 1_500), chance.sample(every, 1))
        day.dead.append(Spell(one.from_s, one.until_s, one.whom, *beat))
    for _ in _often(chance, day, 1.5):
        whom = chance.sample(every, chance.randint(1, 3))
        day.cut.append((chance.choice(AZS), _spell(chance, day, (300, 1_200), whom)))
    for _ in _often(chance, day, 0.5):
        kind = chance.choice(("told", "untold"))
        day.blind.append((chance.choice(AZS), _spell(chance, day, (120, 600), (), kind=kind)))
    for _ in _often(chance, day, 0.125):
        az = chance.choice(AZS)
        whom = [address for _, where, address in web_targets() if where == az]
        spell = _spell(chance, day, (600, 1_200), whom)
        day.lost.append((az, spell))
        day.dead.append(spell)
    for _ in _often(chance, day, 3.0):
        kind = chance.choice(("empty", "short", "short", "error", "twice"))
        day.lies.append(_spell(chance, day, (20, 50), (), kind=kind))
    for _ in _often(chance, day, 0.5):
        day.no_table.append(_spell(chance, day, (30, 180), ()))
    _index(day)
    return day


def _index(day: Truth) -> None:
    day.host_of = {one.address: one for one in day.fleet}
    for spell in day.dead:
        for address in spell.whom:
            day.dead_of.setdefault(address, []).append(spell)


def _deploys(day: Truth, chance: Random) -> None:
    """All hosts of the fleet are replaced, one by one, each listed before it is ready."""
    for turn in range(max(1, day.length_s // (8 * HOUR_S))):
        began_s = chance.uniform(0.2, 0.6) * min(day.length_s, 8 * HOUR_S) + turn * 8 * HOUR_S
        for at, host in enumerate(day.hosts(began_s)):
            born_s = began_s + at * DEPLOY_EACH_S
            number = len(day.fleet) + 1
            leaves_s = born_s + LISTED_BEFORE_GONE_S
            place = day.fleet.index(host)
            day.fleet[place] = Host(host.id, host.address, host.az, host.born_s, leaves_s)
            fresh = Host(f"d{turn}-{at}", f"198.51.100.{number}", host.az, born_s)
            day.fleet.append(fresh)
        if turn % 2 == 0:
            from_s = max(0.0, began_s - STALLED_BEFORE_S)
            until_s = min(from_s + STALLED_S, day.length_s - CALM_S)
            day.stalled.append(Spell(from_s, until_s, frozenset()))


def _often(chance: Random, day: Truth, an_hour: float) -> Iterator[None]:
    """As often as this in an hour, and once at least."""
    count = max(1, round(an_hour * day.length_s / HOUR_S))
    for _ in range(count):
        yield


def _spell(
    chance: Random,
    day: Truth,
    length_s: tuple[int, int],
    whom: Sequence[str],
    *,
    kind: str = "",
) -> Spell:
    lasts_s = chance.uniform(*length_s)
    last_s = max(61.0, day.length_s - CALM_S - lasts_s)
    from_s = chance.uniform(60.0, last_s)
    return Spell(from_s, min(from_s + lasts_s, day.length_s - CALM_S), frozenset(whom), kind=kind)
