"""What a watcher of the world sees: fence, answers of DNS, the generation item, the plans kept.

Read from the pretended cloud itself, never through a process; told as what is new since last time.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from dnsplan.ports import Zone
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import HostedZone
from tests.simulation.cloud import Cloud
from tests.simulation.seen import FENCE, Mark, mark_of

ITEM_FIELDS = ("head", "claimed", "applied", "last_known_good", "floor", "frozen", "pin", "ahead")

# The fence's value is told only where nothing else of it changed.
NONCE = "nonce"

# More addresses than this are told by the first, the last, and how many.
SHOWN_MAX = 6


def facts_of(cloud: Cloud, zone: Zone) -> Mapping[str, str]:
    """All that can be seen, each fact by what it is about."""
    hosted = cloud.route53.account.zone(zone.zone_id)
    mark = mark_of(hosted)
    found = {"fence": _fence(hosted, mark), NONCE: "" if mark is None else mark.nonce}
    for name in sorted({one.name for one in hosted.records()}):
        if name not in (zone.name, f"{FENCE}.{zone.name}"):
            label = name.removesuffix(f".{zone.name}")
            found[label] = _answers(hosted.sets_at(name).values(), zone)
    item = cloud.table.items.get(zone.label)
    for field in ITEM_FIELDS if item is not None else ():
        if (value := getattr(item, field)) not in (None, 0):
            found[field.replace("_", " ")] = str(value)
    found["plans kept"] = _kept(
        [one.generation for one in cloud.archive.bodies if one.label == zone.label]
    )
    return found


def news(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What changed, in one line; nothing where nothing did."""
    fresh = {key: value for key, value in now.items() if before.get(key) != value}
    if fresh.pop(NONCE, None) is not None and "fence" not in fresh:
        fresh["fence"] = f"{now['fence']} anew"
    told = [f"{key} {value}" for key, value in fresh.items()]
    told += [f"{key} is no more" for key in before if key not in now]
    return "; ".join(told)


def _fence(hosted: HostedZone, mark: Mark | None) -> str:
    if mark is None:
        stored = hosted.sets_at(f"{FENCE}.{hosted.name}").get(("TXT", ""))
        return "is missing" if stored is None else "cannot be read"
    held = f", {mark.held} held" if mark.held else ""
    frozen = f", frozen by {mark.frozen}" if mark.frozen else ""
    return f"{mark.generation} {mark.step}/{mark.steps}{held}{frozen}"


def _answers(sets: Iterable[StoredRecordSet], zone: Zone) -> str:
    told: list[str] = []
    values: list[str] = []
    for one in sets:
        if one.alias is not None:
            told.append(f"is an alias of {one.alias.name.removesuffix(f'.{zone.name}')}")
        elif one.type == "A":
            values.extend(one.values)
        else:
            shown = " ".join(value.removesuffix(f".{zone.name}") for value in one.values)
            told.append(f"has {one.type} {shown}")
    if values:
        ordered = sorted(values, key=_octets)
        if len(ordered) > SHOWN_MAX:
            told.insert(0, f"answers {len(ordered)} addresses, {ordered[0]} to {ordered[-1]}")
        else:
            told.insert(0, f"answers {' '.join(ordered)}")
    return " and ".join(told)


def _octets(address: str) -> tuple[int, ...]:
    return tuple(map(int, address.split(".")))


def _kept(generations: Sequence[int]) -> str:
    """1-3, 7; of one number there may be several, of which at most one was published."""
    numbers = sorted(set(generations))
    more = f" ({len(generations)} bodies)" if len(generations) > len(numbers) else ""
    return f"{_runs(numbers)}{more}"


def _runs(numbers: Sequence[int]) -> str:
    if not numbers:
        return "none"
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b != a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b != a + 1), numbers[-1]]
    return ", ".join(f"{a}-{b}" if a != b else f"{a}" for a, b in zip(starts, ends, strict=True))
