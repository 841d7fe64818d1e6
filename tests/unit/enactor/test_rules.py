"""Adoption, settling, refusals, stagger and back-off, each rule by its law."""

import itertools

import pytest
from msgspec import structs

from dnsplan.diff import NameChange
from dnsplan.fence import NoFence
from dnsplan.generation import GenerationItem
from dnsplan.names import parse_name
from dnsplan.plan import Digest, Generation
from dnsplan.ports import Presence, Zone, ZoneSighting
from dnsplan.vouch import UNCHECKED
from enactor.rules import adoption, backoff, stagger
from enactor.rules.adoption import Adopt, Advance, Done, First, MarkAhead, Relist
from enactor.rules.drift import Origin, origin_of
from enactor.rules.outcomes import (
    Applied,
    Fenced,
    Held,
    HoldRule,
    InSync,
    Outcome,
    Unknown,
    Waiting,
)
from enactor.rules.refusal import Believed, Isolated, Mended, Verdict, examine, halves, suspects
from enactor.rules.settle import Settled, settle
from tests.fakes.world import a, cname
from tests.unit.enactor.test_packing import fence, seen

ZONE = Zone("shop", "Z1", parse_name("example.com"))
ITEM = GenerationItem(
    label="shop",
    owner="o" * 32,
    incarnation="t1",
    nonce="n",
    head=Generation(5),
    head_digest=Digest("d" * 64),
    applied=Generation(3),
)
TARGET = ITEM.head_id


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"head": Generation(0)}, HoldRule.NO_PLAN),
        ({"frozen": "f"}, HoldRule.FROZEN),
        ({"incarnation": "t0"}, HoldRule.FOREIGN_TABLE),
        ({"ahead": Generation(9)}, HoldRule.AHEAD),
        ({"zone_id": "Z2"}, HoldRule.OTHER_ZONE),
    ],
)
def test_the_table_alone_can_hold(change: dict[str, object], rule: HoldRule) -> None:
    """Each reason to hold is its own rule and names the next command."""
    held = adoption.before_fence(
        structs.replace(ITEM, **change), ZONE, incarnation="t1", keyring=UNCHECKED
    )
    assert isinstance(held, Held)
    assert held.rule is rule
    assert held.command.startswith("dns-")


def test_no_item_is_no_plan() -> None:
    """Absence is not an instruction."""
    held = adoption.before_fence(None, ZONE, incarnation="t1", keyring=UNCHECKED)
    assert isinstance(held, Held)
    assert held.rule is HoldRule.NO_PLAN


def test_the_pin_is_worked_to() -> None:
    """A pin below head is the target, with its own digest."""
    pinned = structs.replace(ITEM, pin=Generation(4), pin_digest=Digest("p" * 64))
    adopted = adoption.before_fence(pinned, ZONE, incarnation="t1", keyring=UNCHECKED)
    assert isinstance(adopted, Adopt)
    assert (adopted.plan_id.generation, adopted.plan_id.digest) == (4, "p" * 64)


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (fence(5), Done),
        (fence(4), Advance),
        (fence(3), Advance),
        (fence(2), Relist),
        (fence(5, 1, 2), Relist),
        (fence(4, 1, 2), Relist),
        (fence(6), MarkAhead),
        (structs.replace(fence(5), digest=Digest("e" * 64)), MarkAhead),
        (structs.replace(fence(4), owner="x"), Held),
        (structs.replace(fence(4), frozen="f"), Held),
        (structs.replace(fence(6), owner="x"), Held),
    ],
)
def test_what_the_fence_allows(standing: object, expected: type) -> None:
    """One decision for every relation of fence, head and applied."""
    decision = adoption.after_fence(ITEM, TARGET, seen(standing))  # type: ignore[arg-type]  # fences
    assert type(decision) is expected


def test_no_fence_is_the_first_batch() -> None:
    """A zone that was read and holds none."""
    assert adoption.after_fence(ITEM, TARGET, NoFence.MISSING) == First(None)
    frozen_once = seen(fence(0))
    assert adoption.after_fence(ITEM, TARGET, frozen_once) == First(frozen_once)


def test_beyond_a_pin_holds() -> None:
    """The fence never goes back, not for a pin either."""
    pin = structs.replace(TARGET, generation=Generation(3))
    held = adoption.after_fence(ITEM, pin, seen(fence(4)))
    assert isinstance(held, Held)
    assert held.rule is HoldRule.BEYOND_PIN


BEFORE = seen(fence(1, nonce="aa"))


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (seen(fence(2, nonce="mine")), Settled.LANDED),
        (BEFORE, Settled.UNMOVED),
        (seen(fence(2, nonce="zz")), Settled.OVERTAKEN),
        (NoFence.MISSING, Settled.OVERTAKEN),
    ],
)
def test_settling_reads_the_fence(now: object, expected: Settled) -> None:
    """My nonce, the old value, or another."""
    assert settle(BEFORE, now, sent="mine") is expected  # type: ignore[arg-type]  # fences


def test_settling_a_first_batch() -> None:
    """Where there was no fence, still none means unmoved."""
    assert settle(None, NoFence.MISSING, sent="mine") is Settled.UNMOVED


def change(name: str, before: str | None, after: str) -> NameChange:
    """A changed address."""
    gone = (a(name, before),) if before else ()
    return NameChange(parse_name(name), gone, (a(name, after),))


GROUP = tuple(change(f"h{n}.example.com", "192.0.2.1", "192.0.2.2") for n in range(9))


@pytest.mark.parametrize(
    "message",
    [
        (
            "Tried to delete resource record set [name='h3.example.com.', type='A'] but the values"
            " provided do not match the current values"
        ),
        "RRSet of type CNAME with DNS name h3.example.com. is not permitted as it conflicts",
        "Tried to create resource record set h3.example.com. type A, but it already exists",
        (
            "The request contains an invalid set of changes for a resource record set 'A"
            " h3.example.com.'"
        ),
    ],
)
def test_messages_choose_which_names_are_read(message: str) -> None:
    """They are hints: they choose names, they decide nothing."""
    assert suspects((message,), GROUP) == (GROUP[3],)


def test_without_a_hint_a_group_is_halved_down_to_one_name() -> None:
    """Nobody is suspected for standing beside a bad name, nor for being what an alias wants."""
    wants = "Tried to create an alias that targets h3.example.com., type A in zone Z, but that"
    for message in ("no idea", wants):
        assert suspects((message,), GROUP) == ()
        assert suspects((message,), GROUP[:1]) == GROUP[:1]
    assert halves([(one,) for one in GROUP]) == (GROUP[:4], GROUP[4:])


def judged(listed: tuple[object, ...], *, was_ours: bool = True, repair: bool = True) -> Verdict:
    """Examine the change of h0 with what stands there now."""
    return examine(
        GROUP[0],
        listed=listed,  # type: ignore[arg-type]  # record sets
        desired=GROUP[0].after,
        known=(GROUP[0].before,) if was_ours else (),
        repair_drift=repair,
    )


def test_examining_a_refused_name() -> None:
    """Already done, drifted, foreign, or refused for itself."""
    before, after = GROUP[0].before[0], GROUP[0].after[0]
    drifted = a("h0.example.com", "203.0.113.1")
    assert judged((after,)) == Mended(None)
    assert judged((before,)) == Believed()
    assert judged((drifted,)) == Mended(NameChange(before.name, (drifted,), (after,)))
    assert isinstance(judged((drifted,), was_ours=False), Isolated)
    assert isinstance(judged((drifted,), repair=False), Isolated)


def test_a_cname_in_the_way_of_our_own_name_is_replaced() -> None:
    """The whole name is ours where exclusivity makes it one."""
    foreign = cname("h0.example.com", "elsewhere.test.")
    assert judged((foreign,)) == Mended(NameChange(foreign.name, (foreign,), GROUP[0].after))


def test_the_order_of_azs_is_the_same_everywhere_and_spreads() -> None:
    """Rendezvous hashing: a zone's order needs no agreement, and every AZ leads some zones."""
    azs = ("az1", "az2", "az3")
    leaders = [stagger.order(f"zone{n}", azs)[0] for n in range(300)]
    assert all(leaders.count(az) > 60 for az in azs)
    assert stagger.order("zone1", azs) == stagger.order("zone1", tuple(reversed(azs)))


def test_losing_an_az_moves_only_its_zones() -> None:
    """The others keep theirs."""
    azs = ("az1", "az2", "az3")
    for n in range(50):
        whole = stagger.order(f"zone{n}", azs)
        assert stagger.order(f"zone{n}", azs[:2]) == tuple(az for az in whole if az != "az3")


def test_silent_azs_do_not_count() -> None:
    """Who is known to be silent stands before nobody."""
    azs = ("az1", "az2", "az3")
    first, second, third = stagger.order("shop", azs)
    assert [stagger.rank("shop", az, azs, ()) for az in (first, second, third)] == [0, 1, 2]
    assert stagger.rank("shop", second, azs, {first}) == 0
    assert stagger.rank("shop", third, azs, {first, second}) == 0


def peer(az: str, sighting: ZoneSighting, unchanged_s: float) -> dict[str, stagger.Peer]:
    """One peer."""
    return {az: stagger.Peer(Presence(az, 0, (sighting,)), unchanged_s)}


@pytest.mark.parametrize(
    ("sighting", "unchanged_s", "busy"),
    [
        (ZoneSighting("shop", Generation(5), 1, None, 0), 1.0, True),
        (ZoneSighting("shop", Generation(4), 1, None, 0, Generation(5)), 1.0, True),
        (ZoneSighting("shop", Generation(4), 1, None, 0), 1.0, False),
        (ZoneSighting("shop", Generation(5), 1, "held", 0), 1.0, False),
        (ZoneSighting("shop", Generation(5), 1, None, 0), 99.0, False),
        (ZoneSighting("other", Generation(5), 1, None, 0), 1.0, False),
    ],
)
def test_a_living_peer_at_work_keeps_the_others_quiet(
    sighting: ZoneSighting, unchanged_s: float, busy: bool
) -> None:
    """Only fresh signs count, and a peer that holds is no help."""
    found = stagger.is_busy(peer("az2", sighting, unchanged_s), "shop", Generation(5), silent_s=15)
    assert found is busy


def test_a_busy_peer_that_stalls_is_overtaken() -> None:
    """Patience is bounded: no sign of life can keep a zone waiting for ever."""
    common = {"stagger_s": 5.0, "patience_s": 600.0}
    assert stagger.may_act(rank=0, waited_s=0.0, busy_s=None, **common)
    assert not stagger.may_act(rank=1, waited_s=4.9, busy_s=None, **common)
    assert stagger.may_act(rank=1, waited_s=5.0, busy_s=None, **common)
    assert not stagger.may_act(rank=0, waited_s=900.0, busy_s=600.0, **common)
    assert stagger.may_act(rank=2, waited_s=900.0, busy_s=600.1, **common)


def test_fence_checks_stay_within_a_fifth_of_the_share() -> None:
    """Two hundred zones at five thirds a second: one check in ten minutes each."""
    assert stagger.fence_check_every_s(60.0, zones=1, requests_per_s=5 / 3) == 60.0
    assert stagger.fence_check_every_s(60.0, zones=200, requests_per_s=5 / 3) == pytest.approx(600)


HELD = Held(HoldRule.FROZEN, "", "")
OUTCOMES: tuple[Outcome, ...] = (
    InSync(Generation(1)),
    Applied(Generation(1), 1, 0, confirmed=False),
    Waiting(Generation(1)),
    Fenced("", ""),
    Unknown(""),
    HELD,
)


def test_waits_grow_and_are_bounded() -> None:
    """A held zone is looked at within a minute; a lost race is tried again at once, thrice."""
    for outcome in OUTCOMES:
        waits = [backoff.wait_s(outcome, in_a_row=n, interval_s=2.0) for n in range(1, 40)]
        assert all(x <= y for x, y in itertools.pairwise(waits))
        assert max(waits) <= backoff.WAIT_MAX_S
    assert [backoff.wait_s(Fenced("", ""), in_a_row=n, interval_s=2.0) for n in (1, 2, 3)] == [
        0
    ] * 3
    assert backoff.wait_s(HELD, in_a_row=1, interval_s=2.0) == 4.0
    refused = Held(HoldRule.REFUSED, "", "")
    waits = [backoff.wait_s(refused, in_a_row=n, interval_s=2.0) for n in (1, 5, 7, 12)]
    assert waits == [4.0, 64.0, 256.0, backoff.REFUSED_WAIT_MAX_S]


def test_whose_hand_it_was() -> None:
    """A known plan explains what it states; what none explains is drift, or not ours at all."""
    ours, other = a("x.example.com", "192.0.2.1"), a("x.example.com", "203.0.113.1")
    assert origin_of((ours,), [(), (ours,)]) is Origin.OURS
    assert origin_of((), [(), (ours,)]) is Origin.OURS
    assert origin_of((), []) is Origin.OURS
    assert origin_of((), [(ours,)]) is Origin.CHANGED
    assert origin_of((other,), [(ours,)]) is Origin.CHANGED
    assert origin_of((other,), [()]) is Origin.FOREIGN
    assert origin_of((other,), []) is Origin.FOREIGN
