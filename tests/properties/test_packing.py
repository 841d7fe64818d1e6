"""Change batches on the stand-in's own rules: from any zone to any plan each batch is one that
Route 53 takes, nothing goes silent on the way, and the end is the plan."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dnsplan.diff import NameChange, apply, diff
from dnsplan.fence import FenceRecord, SeenFence, fence_name, to_record_set
from dnsplan.names import Name
from dnsplan.outcomes import Accepted
from dnsplan.plan import Digest, Generation
from dnsplan.ports import Zone
from dnsplan.records import (
    AliasTarget,
    RecordSet,
    by_key,
    key_of,
)
from enactor.rules import packing
from enactor.rules.order import in_order
from enactor.rules.packing import CHARACTERS_MAX, ELEMENTS_MAX, ChangeBatch, build, pack, size_of
from sandbox.route53 import rules
from sandbox.route53.account import Route53Settings
from sandbox.route53.switches import Switches
from tests.fakes.zone_records import FakeRoute53, to_stored
from tests.properties.drawn import OWNER, ZONE
from tests.properties.lawful import NAMES, Content, Sizes, answering, values_of, zones

FENCE = fence_name(ZONE)
ZONE_ID = "Z0000000000001"
# What a batch has for names beside its fence pair.
ELEMENTS, CHARACTERS = ELEMENTS_MAX - 2, CHARACTERS_MAX - 1_040
any_size = zones(
    ZONE_ID,
    Sizes(
        elements=(1, 333, ELEMENTS // 2, ELEMENTS // 2 + 1, ELEMENTS, ELEMENTS + 1),
        characters=(50, CHARACTERS // 2, CHARACTERS // 2 + 1, CHARACTERS, CHARACTERS + 1),
    ),
)
# Whatever is deleted of the one and created of the other at a name just fits a batch.
full_live = zones(ZONE_ID, Sizes(elements=(1, 333), characters=(50, CHARACTERS // 3)))
full_desired = zones(
    ZONE_ID,
    Sizes(
        elements=(1, 333, ELEMENTS - 333),
        characters=(50, CHARACTERS // 3, CHARACTERS - CHARACTERS // 3),
    ),
)
# A model of that to scale, where a plan of a few records has many batches.
SMALL_ELEMENTS, SMALL_CHARACTERS = 10, 600
small_live = zones(ZONE_ID, Sizes(elements=(1, 3), characters=(50, 200)))
small_desired = zones(ZONE_ID, Sizes(elements=(1, 3, 7), characters=(50, 200, 400)))
# The open questions about Route 53 that a batch of ours could run into, each with both answers.
switches = st.builds(
    Switches,
    delete_compares_routing_fields=st.booleans(),
    identical_delete_create_accepted=st.booleans(),
    create_then_delete_accepted=st.booleans(),
    values_compared_in_normal_form=st.booleans(),
    equal_changes_dropped=st.booleans(),
    list_order_matters=st.booleans(),
    weighted_holds_several_values=st.booleans(),
    weighted_ttl_must_match=st.booleans(),
)


class Place:
    """A hosted zone that holds some content, and whoever sends batches to it."""

    def __init__(self, live: Content, answers: Switches, *, fenced: bool) -> None:
        self.route53 = FakeRoute53(lambda: 0.0, Route53Settings(switches=answers))
        self.zone = self.route53.make_zone("shop", ZONE)
        assert self.zone == Zone("shop", ZONE_ID, ZONE)
        self.fence = fence(1, 1, 1) if fenced else None
        standing = [*live, *([to_record_set(self.fence, ZONE)] if self.fence else [])]
        self.route53.account.load(ZONE_ID, map(to_stored, standing))

    def batches(self, desired: Content, steps_before: int = 0) -> Iterator[ChangeBatch]:
        """The batches from what the zone holds to what is desired; each is sent when it is asked
        for, and numbered after those before it, as a writer does who resumes."""
        changes = diff(self.content(), desired)
        packed = pack(changes, ZONE, stated_by(desired))
        assert packed.oversized == ()
        retired = {key_of(one) for change in changes for one in change.before}
        retired -= {key_of(one) for one in desired}
        steps = steps_before + len(packed.groups)
        for step, group in enumerate(packed.groups, steps_before + 1):
            before = SeenFence(self.fence, to_record_set(self.fence, ZONE)) if self.fence else None
            after = fence(2, step, steps)
            batch = build(before, after, group, zone=ZONE, may_end=retired.__contains__)
            outcome = self.route53.land(self.zone, batch)
            assert isinstance(outcome, Accepted), outcome
            self.fence = after
            yield batch

    def content(self) -> Content:
        """What the zone holds, fence, NS and SOA aside."""
        return tuple(sorted(self.route53.content(self.zone), key=key_of))


def fence(generation: int, step: int, steps: int) -> FenceRecord:
    """A fence with a nonce of its own."""
    return FenceRecord(
        generation=Generation(generation),
        step=step,
        steps=steps,
        base=Generation(0),
        held=0,
        owner=OWNER,
        writer="az1",
        nonce=f"{generation}-{step}-{steps}",
        digest=Digest("d" * 64),
    )


@contextmanager
def small_batches() -> Iterator[None]:
    """Route 53 and we agree on batches that a few records fill."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "ELEMENTS_MAX", SMALL_ELEMENTS + 2)
        patch.setattr(packing, "CHARACTERS_MAX", SMALL_CHARACTERS + 1_040)
        patch.setattr(rules, "ELEMENTS_MAX", SMALL_ELEMENTS + 2)
        patch.setattr(rules, "VALUE_CHARS_MAX", SMALL_CHARACTERS + 1_040)
        yield


@given(any_size, any_size)
def test_each_name_is_in_one_batch_or_set_aside(live: Content, desired: Content) -> None:
    """No change is lost, doubled or parted; a name is set aside exactly when it is over a limit,
    alone or with what must change with it; the order in which a zone is listed means nothing."""
    changes = diff(live, desired)
    packed = pack(changes, ZONE, stated_by(desired))
    sent = [change for group in packed.groups for change in group]
    assert sorted([*sent, *packed.oversized], key=by_name) == list(changes)
    assert all(packed.groups)
    too_big: list[NameChange] = []
    for together in in_order(changes, ZONE, stated_by(desired)):
        sizes = [size_of(change) for change in together]
        elements, characters = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
        too_big.extend(together if elements > ELEMENTS or characters > CHARACTERS else ())
    assert sorted(packed.oversized, key=by_name) == sorted(too_big, key=by_name)
    assert pack(diff(reversed(live), desired), ZONE, stated_by(desired)) == packed


def plain(name: Name, record_type: str, count: int) -> RecordSet:
    """A set of so many values."""
    return RecordSet(name, record_type, 60, values_of(record_type, count, 0))


def alias(name: Name, record_type: str, target: Name) -> RecordSet:
    """An alias within the zone."""
    return RecordSet(name, record_type, None, (), alias=AliasTarget(ZONE_ID, target, False))


_, A, B, C, _, _, Z = NAMES
# The apex leaves `a`, which loses its addresses; both do not fit one batch.
THE_TARGET_CHANGES_TYPE = (
    (plain(A, "A", 1), plain(A, "AAAA", 1), alias(ZONE, "A", A)),
    (plain(A, "TXT", 1), plain(ZONE, "A", 7)),
)
# Each of `a` and `b` loses the type that the other gains, and an alias of each type changes sides.
TWO_TARGETS_SWAP_TYPES = (
    (
        plain(A, "A", 1),
        plain(B, "AAAA", 1),
        alias(C, "A", A),
        alias(ZONE, "AAAA", B),
        plain(Z, "A", 3),
    ),
    (
        plain(A, "AAAA", 1),
        plain(B, "A", 1),
        alias(C, "A", B),
        alias(ZONE, "AAAA", A),
        plain(Z, "A", 7),
    ),
)


# `a` and `b` change sides of each other, and `c` leads from the one to the other all the while.
A_NAME_BETWEEN_STAYS = (
    (plain(A, "A", 7), alias(B, "A", A), alias(C, "A", B)),
    (plain(B, "A", 7), alias(A, "A", C), alias(C, "A", B)),
)


def stated_by(content: Content) -> Callable[[Name], Content]:
    """What a plan states at a name."""
    return lambda name: tuple(one for one in content if one.name == name)


def by_name(change: NameChange) -> Name:
    """Changes as `diff` sorts them."""
    return change.name


def check_batches(place: Place, desired: Content) -> None:
    """Send everything; each batch is in order, and the zone ends as desired."""
    live, fenced = place.content(), place.fence is not None
    for batch in place.batches(desired):
        sets = [change.record_set for change in batch.changes]
        opening = 2 if fenced else 1
        fenced = True
        assert [one.type == "TXT" and one.name == FENCE for one in sets] == [
            number < opening for number in range(len(sets))
        ]
        actions = [change.action for change in batch.changes[opening:]]
        assert actions == sorted(actions, reverse=True)
    assert by_key(place.content()) == apply(diff(live, desired), live)
    assert diff(place.content(), desired) == ()


@given(full_live, full_desired, switches, st.booleans())
def test_route_53_takes_every_batch(
    live: Content, desired: Content, answers: Switches, fenced: bool
) -> None:
    """At Route 53's own limits, whatever its open rules are: every batch is accepted in its turn,
    opens with the fence pair, deletes before it creates, and the zone ends as desired."""
    check_batches(Place(live, answers, fenced=fenced), desired)


@given(small_live, small_desired, switches, st.booleans())
def test_route_53_takes_every_small_batch(
    live: Content, desired: Content, answers: Switches, fenced: bool
) -> None:
    """The same where nearly every name has a batch of its own."""
    with small_batches():
        check_batches(Place(live, answers, fenced=fenced), desired)


@given(small_live, small_desired, st.booleans())
@example(*THE_TARGET_CHANGES_TYPE, True)
@example(*TWO_TARGETS_SWAP_TYPES, True)
@example(*A_NAME_BETWEEN_STAYS, True)
def test_nothing_goes_silent_between_batches(live: Content, desired: Content, fenced: bool) -> None:
    """P2: a name and type that answers before a plan and under it answers after each batch."""
    with small_batches():
        kept = answering(live, ZONE_ID) & answering(desired, ZONE_ID)
        place = Place(live, Switches(), fenced=fenced)
        for _ in place.batches(desired):
            assert kept - answering(place.content(), ZONE_ID) == set()


@given(small_live, small_desired, st.integers(0, 3))
def test_a_plan_is_resumed_where_it_stopped(live: Content, desired: Content, landed: int) -> None:
    """P1: whoever goes on from a listing after any batch ends with the same zone, under steps that
    only rise."""
    with small_batches():
        place = Place(live, Switches(), fenced=True)
        fences = [fence(1, 1, 1)]
        for batch in place.batches(desired):
            fences.append(batch.fence)
            if len(fences) > landed:
                break
        steps = fences[-1].step if fences[-1].generation == 2 else 0
        fences += [batch.fence for batch in place.batches(desired, steps)]
        assert diff(place.content(), desired) == ()
        assert all(one.token < other.token for one, other in pairwise(fences))
