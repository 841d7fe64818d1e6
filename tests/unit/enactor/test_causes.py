"""What an enactor pages, and who of three tells it: holds, strangers, plans that wait, drift."""

from dataclasses import replace

import pytest
from msgspec import structs

from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from dnsplan.ports import Presence, ZoneSighting
from enactor.rules.causes import (
    DRIFT,
    FENCED_OUT,
    HELD_ZONE,
    KINDS,
    LAGGING,
    RUNBOOKS,
    Patience,
    Teller,
    ZoneFacts,
    causes_of,
    teller,
    unfound,
    unread,
)
from enactor.rules.outcomes import Applied, Fenced, Held, HoldRule, InSync, Outcome
from enactor.rules.stagger import Peer, order
from enactor.rules.trouble import FENCED_MAX, STALE_S, Trouble, cycled, drifted, looked

PATIENCE = Patience(held_s=120.0, lag_s=300.0)
AZS = ("az1", "az2", "az3")
FIRST, SECOND, _ = order("shop", AZS)


def item(applied: int = 4, head: int = 4, **facts: object) -> GenerationItem:
    """A zone's item."""
    made = GenerationItem(
        label="shop",
        owner="o",
        incarnation="i",
        nonce="n",
        head=Generation(head),
        applied=Generation(applied),
    )
    return structs.replace(made, **facts)


def held(rule: HoldRule) -> Held:
    """A hold."""
    return Held(rule, "the reason", "dns-runbook explain shop")


def told(trouble: Trouble, now_s: float, *, observe: bool = False) -> list[tuple[str, str]]:
    """Kind and verdict of each cause."""
    facts = ZoneFacts("shop", observe, trouble)
    return [(one.kind, one.verdict) for one in causes_of(facts, PATIENCE, now_s=now_s)]


def after(*outcomes: tuple[float, Outcome], applied: int = 4) -> Trouble:
    """A zone after cycles at these times."""
    trouble = looked(Trouble(), item(applied), Generation(applied), now_s=0.0)
    for at_s, outcome in outcomes:
        trouble = cycled(trouble, outcome, now_s=at_s)
    return trouble


@pytest.mark.parametrize("rule", list(HoldRule))
def test_a_hold_is_paged_once_it_lasts_unless_an_operator_wanted_it(rule: HoldRule) -> None:
    """Each rule has its page of the runbooks, or is an operator's own word."""
    trouble = after((10.0, held(rule)), (100.0, held(rule)))
    is_quiet = RUNBOOKS[rule] is None or rule is HoldRule.DRIFT
    assert told(trouble, 10.0 + 5.0) == []
    assert told(trouble, 10.0 + 121.0) == ([] if is_quiet else [(HELD_ZONE, str(rule))])


@pytest.mark.parametrize("rule", [HoldRule.AHEAD, HoldRule.FOREIGN_OWNER, HoldRule.FOREIGN_TABLE])
def test_a_lost_table_and_a_second_owner_page_at_once(rule: HoldRule) -> None:
    """Nobody should wait for two minutes to hear it."""
    assert told(after((0.0, held(rule)), (8.0, held(rule))), 11.0) == [(HELD_ZONE, str(rule))]


@pytest.mark.parametrize(
    "end", [InSync(Generation(4)), Applied(Generation(4), 1, 0, confirmed=True)]
)
def test_a_hold_ends_with_a_cycle_that_ends_well(end: Outcome) -> None:
    """And begins anew after it, with patience of its own."""
    trouble = after((0.0, held(HoldRule.REFUSED)), (200.0, end))
    assert told(trouble, 201.0) == []
    assert told(cycled(trouble, held(HoldRule.REFUSED), now_s=210.0), 300.0) == []


def test_a_hold_ends_when_another_az_applies_the_plan() -> None:
    """The table shows it; this enactor may never look at the zone again."""
    trouble = after((0.0, held(HoldRule.READ_FAILED)), (150.0, held(HoldRule.READ_FAILED)))
    assert told(trouble, 160.0) == [(HELD_ZONE, "read_failed")]
    moved = looked(trouble, item(5, 5), Generation(5), now_s=170.0)
    assert told(moved, 170.0) == []


def test_what_was_not_seen_for_half_an_hour_says_nothing() -> None:
    """Another AZ looks after the zone by then, and tells of it."""
    trouble = after((0.0, held(HoldRule.REFUSED)))
    drift = drifted(trouble, ("www A: wanted 1; standing 2",), now_s=0.0)
    assert told(drift, 130.0) == [(DRIFT, "drift"), (HELD_ZONE, "refused")]
    assert told(drift, STALE_S + 1.0) == []


def test_being_fenced_again_and_again_is_paged_and_hides_the_rest() -> None:
    """Now and then it is two AZs at once."""
    fenced = Fenced("a", "b")
    few = after(*((10.0 * at, fenced) for at in range(FENCED_MAX - 1)))
    assert told(few, 50.0) == []
    many = cycled(few, fenced, now_s=50.0)
    many = looked(many, item(4, 5), Generation(5), now_s=0.0)
    assert told(many, 60.0) == [(FENCED_OUT, "fenced")]
    slowly = after(*((200.0 * at, fenced) for at in range(3 * FENCED_MAX)))
    assert told(slowly, 200.0 * 3 * FENCED_MAX) == []


def test_a_plan_that_waits_is_paged_by_its_own_age() -> None:
    """Plans that come every ten seconds make no lag while each is applied within its time."""
    trouble, applied = Trouble(), 0
    for at in range(200):
        applied = max(0, at - 6)
        trouble = looked(trouble, item(applied, at), Generation(at), now_s=10.0 * at)
        assert told(trouble, 10.0 * at) == []
    stuck = trouble
    for at in range(200, 240):
        stuck = looked(stuck, item(applied, at), Generation(at), now_s=10.0 * at)
    assert told(stuck, 2_400.0) == [(LAGGING, "lag")]
    assert told(stuck, 2_400.0, observe=True) == []
    freed = looked(stuck, item(applied, 240, frozen="ann"), Generation(240), now_s=2_410.0)
    assert told(freed, 2_410.0) == []


def test_names_that_are_held_back_are_paged_from_the_table() -> None:
    """The applied fence counts them; which ones and why, an enactor's own cycle says."""
    fence = (
        '"dnsplan/1 generation=4 step=1/1 base=3 held=2"'
        ' "owner=48a6110ede288b90dd98c1cd9e818275 writer=az1 nonce=2b9bd782a56082b2'
        ' digest=205d4de9744af859e2005000631f77f209651f1dccf236cb774eeb7afe95da63"'
    )
    trouble = looked(Trouble(), item(applied_fence=fence), Generation(4), now_s=0.0)
    assert told(trouble, 60.0) == []
    [cause] = causes_of(ZoneFacts("shop", False, trouble), PATIENCE, now_s=121.0)
    assert (cause.page_id, cause.verdict, cause.runbook) == (
        "held-names/shop",
        "held 2",
        "bad-name-held",
    )
    whole = looked(Trouble(), item(applied_fence="damaged"), Generation(4), now_s=0.0)
    assert told(whole, 200.0) == []
    drift = drifted(trouble, ("www A: wanted 1; standing 2",), now_s=200.0)
    assert told(drift, 210.0) == [(DRIFT, "drift")]


def peer(az: str, *, unchanged_s: float = 1.0, **facts: object) -> dict[str, Peer]:
    """One other AZ and what it shows of the zone."""
    sighting = structs.replace(ZoneSighting("shop", Generation(4), 0, None, 0), **facts)
    return {az: Peer(Presence(az, 0, (sighting,)), unchanged_s)}


def test_the_first_living_az_tells_what_it_sees_too() -> None:
    """So that three enactors are one page; what it does not see, the one that sees it tells."""
    hold = next(
        iter(
            causes_of(
                ZoneFacts("shop", False, after((0.0, held(HoldRule.REFUSED)))),
                PATIENCE,
                now_s=200.0,
            )
        )
    )
    drift = replace(hold, kind=DRIFT)
    stranger = replace(hold, kind=FENCED_OUT)
    sees = peer(FIRST, holding="it holds", drift=("www",))
    assert teller(hold, FIRST, AZS, peer(SECOND), silent_s=15.0) is Teller.HERE
    assert teller(hold, SECOND, AZS, sees, silent_s=15.0) is Teller.FIRST
    assert teller(drift, SECOND, AZS, sees, silent_s=15.0) is Teller.FIRST
    assert teller(hold, SECOND, AZS, peer(FIRST), silent_s=15.0) is Teller.DOUBTFUL
    assert teller(drift, SECOND, AZS, peer(FIRST), silent_s=15.0) is Teller.DOUBTFUL
    assert teller(stranger, SECOND, AZS, sees, silent_s=15.0) is Teller.HERE
    silent = peer(FIRST, unchanged_s=60.0, holding="it held")
    assert teller(hold, SECOND, AZS, silent, silent_s=15.0) is Teller.HERE
    assert teller(hold, SECOND, AZS, {}, silent_s=15.0) is Teller.HERE


def test_every_kind_can_be_told() -> None:
    """The two that are of no cycle as well."""
    others = {unfound("shop", "no such zone").kind, unread("az1", "down", waited_s=200.0).kind}
    assert others < set(KINDS)
