"""The zone in memory and the stand-in's zone are one zone to the DNS server."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from sandbox.dns.answering import Answer
from sandbox.dns.zones import Zone
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import HostedZone
from tests.unit.sandbox_dns.memory_zone import (
    APEX,
    ZONE_ID,
    MemoryZone,
    Setting,
    alias,
    apex,
    record,
)

label = st.sampled_from(["a", "b", "\\052", "x\\056y"])
names = st.lists(label, max_size=4).map(lambda parts: "".join(f"{one}." for one in parts) + APEX)
kinds = st.sampled_from(["A", "TXT", "NS", "CNAME", "ANY", "DS"])
contents = st.dictionaries(
    names.filter(lambda name: name != APEX),
    st.sampled_from(["A", "multi", "weighted", "CNAME", "NS", "alias"]),
    max_size=8,
)


def sets_for(name: str, kind: str) -> list[StoredRecordSet]:
    """Make what stands at one name."""
    match kind:
        case "A":
            return [record(name, "A", "192.0.2.1", "192.0.2.2")]
        case "multi":
            return [
                record(name, "A", f"192.0.2.{at}", set_id=str(at), multivalue=True)
                for at in range(10)
            ]
        case "weighted":
            return [
                record(name, "A", f"192.0.2.{at}", set_id=str(at), weight=at) for at in range(3)
            ]
        case "CNAME":
            return [record(name, "CNAME", "a.b.example.com")]
        case "NS":
            return [record(name, "NS", "ns.a.example.com", "ns.example.net")]
        case _:
            return [alias(name, "A", "b.example.com.", evaluate=True)]


def both(content: dict[str, str]) -> tuple[MemoryZone, HostedZone]:
    """Fill both zones with the same record sets."""
    records = [*apex(), *(one for name, kind in content.items() for one in sets_for(name, kind))]
    work: dict[str, dict[tuple[str, str], StoredRecordSet]] = {}
    for one in records:
        work.setdefault(one.name, {})[one.key] = one
    stored = HostedZone(zone_id=ZONE_ID, name=APEX, private=False, caller_reference="test")
    stored.commit(work)
    return MemoryZone(*records), stored


@given(contents, names)
def test_both_hold_the_same_at_every_name(content: dict[str, str], name: str) -> None:
    """Sets and empty names between are alike, at names that were filled and at others."""
    ours, theirs = both(content)
    for asked in [name, *content]:
        expected = ours.sets_at(asked), ours.has_below(asked)
        assert expected == (theirs.sets_at(asked), theirs.has_below(asked))


@given(contents, names, kinds, st.integers())
def test_both_answer_every_question_alike(
    content: dict[str, str], name: str, kind: str, seed: int
) -> None:
    """With the same chance, an answer does not depend on which of the two zones it came from."""

    def ask(zone: Zone) -> Answer:
        return Setting((zone,), jitter=Random(seed)).ask(name, kind)

    ours, theirs = both(content)
    assert ask(ours) == ask(theirs)
