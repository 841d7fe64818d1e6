"""Whose silence it is: a zone's, this host's, or not yet known."""

from sentinel.rules.pace import pace_for
from sentinel.rules.sight import Sight, sight
from sentinel.vantage import Vantage
from tests.fakes.clock import FakeClock

PACE = pace_for(30.0)
LABELS = frozenset({"shop", "cafe"})


def seen(
    silent: dict[str, float], unfound: tuple[str, ...] = (), *, heard_s: float, now_s: float
) -> Sight:
    """Sight of two zones."""
    return sight(LABELS, silent, unfound, pace=PACE, heard_s=heard_s, now_s=now_s)


def test_all_are_seen_while_nobody_is_silent() -> None:
    """However long ago somebody was heard: nobody was asked in vain."""
    assert seen({}, heard_s=0.0, now_s=99.0) == Sight()


def test_a_silent_zone_is_unseen_once_another_is_heard() -> None:
    """Then the silence is not this host's."""
    later = seen({"cafe": 10.0}, heard_s=10.1, now_s=11.0)
    assert later == Sight(unseen=frozenset({"cafe"}))


def test_until_then_it_is_not_said_whose_silence_it_is() -> None:
    """Its names are hidden, and nobody is paged."""
    unsure = seen({"cafe": 10.0}, heard_s=9.9, now_s=12.0)
    assert unsure == Sight(unsure=frozenset({"cafe"}))
    assert (unsure.hides("cafe"), unsure.hides("shop")) == (True, False)


def test_nothing_is_seen_when_nobody_is_heard_for_as_long_as_each_is_asked() -> None:
    """A look at every name, and the time of its answer."""
    long_s = PACE.interval_s + PACE.ask_s + 3 * PACE.tick_s
    assert not seen({"cafe": 10.0}, heard_s=9.0, now_s=8.9 + long_s).is_blind
    blind = seen({"cafe": 10.0}, heard_s=9.0, now_s=9.1 + long_s)
    assert blind == Sight(is_blind=True)
    assert blind.hides("shop")


def test_a_zone_without_known_servers_is_unseen() -> None:
    """And nothing is seen when every zone is silent or has none."""
    assert seen({}, ("cafe",), heard_s=1.0, now_s=2.0) == Sight(unseen=frozenset({"cafe"}))
    assert seen({"shop": 1.5}, ("cafe",), heard_s=1.0, now_s=2.0) == Sight(is_blind=True)
    assert seen({}, ("cafe", "shop"), heard_s=1.0, now_s=2.0) == Sight(is_blind=True)


def test_a_zone_is_silent_after_two_rounds_one_after_the_other() -> None:
    """Rounds at the same time are one moment; a word in between begins anew."""
    clock = FakeClock()
    vantage = Vantage(LABELS, clock, PACE)
    clock.advance(10.0)
    assert not vantage.miss("cafe", begun_s=8.0)
    assert not vantage.miss("cafe", begun_s=8.1)
    clock.advance(3.0)
    assert vantage.miss("cafe", begun_s=11.0)
    vantage.hear("cafe")
    clock.advance(3.0)
    assert not vantage.is_silent("cafe")
    assert not vantage.miss("cafe", begun_s=14.0)


def test_a_round_during_which_somebody_spoke_says_nothing_about_the_zone() -> None:
    """Another name's reply came while this one's round was silent, so it is not even a first."""
    clock = FakeClock()
    vantage = Vantage(LABELS, clock, PACE)
    clock.advance(10.0)
    vantage.hear("cafe")
    clock.advance(1.0)
    assert not vantage.miss("cafe", begun_s=9.0)
    clock.advance(2.5)
    assert not vantage.miss("cafe", begun_s=11.5)
    clock.advance(2.5)
    assert vantage.miss("cafe", begun_s=14.0)
