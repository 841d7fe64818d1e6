"""Random zones that Route 53 would accept: any kinds of names beside each other, aliases of
aliases, and texts and addresses of just the sizes at which a change batch is full."""

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from hypothesis import strategies as st

from dnsplan.names import Name, parse_name
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    RecordSet,
    Routing,
    Unit,
    Weighted,
    key_of,
    unit_of,
)
from tests.properties.drawn import ZONE

Content = tuple[RecordSet, ...]
Build = Callable[[st.DrawFn, Name], Content]

NAMES = [ZONE, *(parse_name(f"{one}.example.com.") for one in ("a", "b", "c", "*", "x.c", "z"))]
ELSEWHERE = AliasTarget("Z2ELSEWHERE", parse_name("lb.example.net."), True)
TTLS_S = st.sampled_from([0, 30, 300])
STRING_MAX = 257  # 255 bytes between two quotes
VALUES_MAX = 400


@dataclass(frozen=True)
class Sizes:
    """How many elements, or characters, the big names of a zone may have."""

    elements: Sequence[int]
    characters: Sequence[int]


@st.composite
def zones(draw: st.DrawFn, zone_id: str, sizes: Sizes) -> Content:
    """The managed content of a zone in normal form: never empty, and no alias in it dangles."""
    order = draw(st.permutations(NAMES))
    found: list[RecordSet] = []
    for name in order[: draw(st.sampled_from(range(1, len(order) + 1)))]:
        targets = sorted({(one.name, one.type) for one in found if one.type in ("A", "AAAA")})
        kinds: list[Build] = [big_addresses(sizes), big_text(sizes), group, mail, elsewhere]
        if name != ZONE:
            kinds.append(cname)
        if targets:
            # Twice: what depends on what is where order can go wrong.
            kinds += [alias_to_one_of(zone_id, targets)] * 2
        found.extend(draw(st.sampled_from(kinds))(draw, name))
    return tuple(sorted(found, key=key_of))


def alias_to_one_of(zone_id: str, targets: Sequence[tuple[Name, str]]) -> Build:
    """An alias of a set of this zone that is there already, and that may be an alias itself."""

    def build(draw: st.DrawFn, name: Name) -> Content:
        target, kind = draw(st.sampled_from(targets))
        found = AliasTarget(zone_id, target, draw(st.booleans()))
        return (RecordSet(name, kind, None, (), alias=found),)

    return build


def big_addresses(sizes: Sizes) -> Build:
    """Addresses, as many as fill batches, in as many types as that takes."""

    def build(draw: st.DrawFn, name: Name) -> Content:
        left, first, ttl_s = draw(st.sampled_from(sizes.elements)), draw(FIRST), draw(TTLS_S)
        sets = []
        for kind in ("A", "AAAA", "TXT"):
            if count := min(left, VALUES_MAX):
                sets.append(RecordSet(name, kind, ttl_s, values_of(kind, count, first)))
            left -= count
        return tuple(sets)

    return build


def big_text(sizes: Sizes) -> Build:
    """Texts of exactly so many characters."""

    def build(draw: st.DrawFn, name: Name) -> Content:
        values = texts(draw(st.sampled_from(sizes.characters)), draw(FIRST))
        return (RecordSet(name, "TXT", draw(TTLS_S), values),)

    return build


FIRST = st.integers(0, 1)


@cache
def values_of(kind: str, count: int, first: int) -> tuple[str, ...]:
    """So many values of a type; another `first` gives others."""
    if kind == "TXT":
        return tuple(f'"{first}{number:03d}"' for number in range(count))
    starts = {"A": "10.0.0.0", "AAAA": "2001:db8::"}
    start = ipaddress.ip_address(starts[kind]) + first * VALUES_MAX
    return tuple(sorted(str(start + number) for number in range(count)))


@cache
def texts(characters: int, first: int) -> tuple[str, ...]:
    """Values of so many characters together; another `first` gives others."""
    values: list[str] = []
    while characters:
        # No value may be too short to be unlike the others.
        size = characters if characters <= STRING_MAX else min(STRING_MAX, characters - 9)
        mark = f"{first}{len(values):03d}"
        values.append(f'"{mark}{"x" * (size - len(mark) - 2)}"')
        characters -= size
    return tuple(values)


def elsewhere(draw: st.DrawFn, name: Name) -> Content:
    """An alias of a load balancer."""
    return (RecordSet(name, draw(st.sampled_from(["A", "AAAA"])), None, (), alias=ELSEWHERE),)


def cname(draw: st.DrawFn, name: Name) -> Content:
    """A CNAME, which stands alone."""
    return (RecordSet(name, "CNAME", draw(TTLS_S), (draw(st.sampled_from(NAMES)),)),)


def mail(draw: st.DrawFn, name: Name) -> Content:
    """Another type beside addresses."""
    kept = RecordSet(name, "A", 60, ("192.0.2.1",))
    return (kept, RecordSet(name, "MX", draw(TTLS_S), ("10 mail.example.net.",)))


ROUTINGS: Sequence[Sequence[Routing]] = [
    [Weighted(0), Weighted(1), Weighted(255)],
    [Multivalue(), Multivalue(), Multivalue()],
    [Failover("PRIMARY"), Failover("SECONDARY")],
    [Latency("us-east-1"), Latency("eu-west-1")],
    [Geolocation(None, "*", None), Geolocation("EU", None, None)],
]
MEMBERS = {
    number: [
        chosen
        for size in range(1, len(policy) + 1)
        for chosen in combinations(enumerate(policy), size)
    ]
    for number, policy in enumerate(ROUTINGS)
}


def group(draw: st.DrawFn, name: Name) -> Content:
    """Some members of a group of one policy; other policies know the same identifiers."""
    chosen = draw(st.sampled_from(MEMBERS[draw(st.integers(0, len(ROUTINGS) - 1))]))
    ttl_s, kind = draw(TTLS_S), draw(st.sampled_from(["A", "TXT"]))
    last = draw(st.integers(1, 2))
    form = '"{}.{}"' if kind == "TXT" else "192.0.{}.{}"
    return tuple(
        RecordSet(name, kind, ttl_s, (form.format(n, last),), set_id=f"m{n}", routing=routing)
        for n, routing in chosen
    )


def answering(content: Content, zone_id: str) -> set[Unit]:
    """Names and types that a client gets an answer for, aliases followed to the end."""
    sets: dict[Unit, list[RecordSet]] = {}
    for one in content:
        sets.setdefault(unit_of(one), []).append(one)

    def answers(unit: Unit, depth: int) -> bool:
        return any(
            one.alias is None
            or one.alias.zone_id != zone_id
            or (depth > 0 and answers((one.alias.name, one.type), depth - 1))
            for one in sets.get(unit, ())
        )

    return {unit for unit in sets if answers(unit, len(sets))}
