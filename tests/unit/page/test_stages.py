"""When a generation was planned, claimed, applied and seen: the first time counts, and only it."""

from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from dnsplan.runtime.page.model import EARLIER_S, Stages
from dnsplan.runtime.page.stages import KEPT_MAX, moved_on


def item(head: int, claimed: int, applied: int) -> GenerationItem:
    """An item at these generations."""
    return GenerationItem(
        label="shop",
        owner="o",
        incarnation="t",
        nonce="n",
        head=Generation(head),
        claimed=Generation(claimed),
        applied=Generation(applied),
    )


def test_what_stood_before_the_first_look_has_no_time() -> None:
    """It is told apart from what has not happened."""
    seen = {"az1": Generation(3), "az2": Generation(2)}
    assert moved_on(None, item(3, 3, 3), seen, now_s=100.0) == (
        Stages(
            generation=3,
            planned_s=EARLIER_S,
            claimed_s=EARLIER_S,
            applied_s=EARLIER_S,
            seen_by=(("az1", EARLIER_S),),
        ),
    )


def test_each_stage_keeps_the_first_time_it_was_seen() -> None:
    """Planned, claimed, in sync in one AZ and then the other, applied."""
    known = moved_on((), item(4, 3, 3), {}, now_s=10.0)
    known = moved_on(known, item(4, 4, 3), {"az1": Generation(4)}, now_s=12.0)
    known = moved_on(known, item(4, 4, 4), {"az1": Generation(4), "az2": Generation(4)}, now_s=14.0)
    known = moved_on(known, item(4, 4, 4), {"az1": Generation(4), "az2": Generation(4)}, now_s=99.0)
    assert known == (
        Stages(
            generation=4,
            planned_s=10.0,
            claimed_s=12.0,
            applied_s=14.0,
            seen_by=(("az1", 12.0), ("az2", 14.0)),
        ),
    )


def test_a_generation_that_was_overtaken_says_so() -> None:
    """A later one was applied and this one never was."""
    known = moved_on((), item(4, 3, 3), {}, now_s=10.0)
    known = moved_on(known, item(5, 5, 5), {}, now_s=11.0)
    assert [(one.generation, one.passed_by) for one in known] == [(5, False), (4, True)]


def test_only_the_newest_are_kept() -> None:
    """The newest first."""
    known: tuple[Stages, ...] = ()
    for head in range(1, KEPT_MAX + 4):
        known = moved_on(known, item(head, 0, 0), {}, now_s=float(head))
    assert [one.generation for one in known] == list(range(KEPT_MAX + 3, 3, -1))


def test_an_empty_zone_has_no_stages() -> None:
    """Before its first plan."""
    assert moved_on(None, item(0, 0, 0), {"az1": Generation(0)}, now_s=1.0) == ()
