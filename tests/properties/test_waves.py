"""Waves, whatever befalls: bounded, canaries first, never stuck when all is fine, back at once."""

from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from planner.rules.waves import Go, Wait, Waves, ZoneState, leaves

LABELS = tuple("abcdefgh")
BAKE_S, WINDOW_S = 40.0, 30.0


@dataclass
class Zone:
    """One zone by the clock of the test; `turned_s` None: never."""

    waits: bool
    turned_s: float | None = None
    applied_s: float | None = None
    against: str = ""


@st.composite
def settings(draw: st.DrawFn) -> Waves:
    """Up to three canaries, one to four zones a window."""
    canaries = draw(st.lists(st.sampled_from(LABELS), max_size=3, unique=True))
    per_window = draw(st.integers(1, 4))
    return Waves(
        canaries=tuple(canaries), bake_s=BAKE_S, zones_per_window=per_window, window_s=WINDOW_S
    )


def states(zones: dict[str, Zone], now_s: float) -> list[ZoneState]:
    """As a pass sees them."""
    return [
        ZoneState(
            label=label,
            waits=one.waits,
            age_s=None if one.turned_s is None else now_s - one.turned_s,
            is_applied=one.turned_s is None
            or (one.applied_s is not None and one.applied_s <= now_s),
            against=one.against,
        )
        for label, one in zones.items()
    ]


Day = tuple[list[bool], list[float], list[tuple[int, str]]]
days = st.tuples(
    st.lists(st.booleans(), min_size=len(LABELS), max_size=len(LABELS)),
    st.lists(st.floats(0, 60), min_size=len(LABELS), max_size=len(LABELS)),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from(LABELS)), max_size=4),
)


def played(
    waves: Waves, day: Day, *, passes: int = 120
) -> tuple[list[tuple[float, str]], dict[str, Zone]]:
    """Passes of five seconds: who went when. Each zone is applied a while after its turn; troubles
    begin at a pass and last for six."""
    waits, delays, troubles = day
    zones = {label: Zone(one) for label, one in zip(LABELS, waits, strict=True)}
    went: list[tuple[float, str]] = []
    for number in range(passes):
        now_s = number * 5.0
        for label, zone in zones.items():
            zone.against = (
                "x" if any(label == who and 0 <= number - at < 6 for at, who in troubles) else ""
            )
        for label, leave in leaves(states(zones, now_s), waves).items():
            if isinstance(leave, Go):
                zone = zones[label]
                delay_s = delays[LABELS.index(label)]
                zone.waits, zone.turned_s, zone.applied_s = False, now_s, now_s + delay_s
                went.append((now_s, label))
    return went, zones


@given(settings(), days)
def test_no_window_sees_more_zones_go_than_it_may(waves: Waves, day: Day) -> None:
    """Whichever window is looked at."""
    went, _ = played(waves, day)
    for began_s, _ in went:
        inside = [at_s for at_s, _ in went if began_s <= at_s < began_s + WINDOW_S]
        assert len(inside) <= waves.zones_per_window


@given(settings(), days)
def test_nobody_goes_before_each_canary_has_held_its_change_for_the_bake_time(
    waves: Waves, day: Day
) -> None:
    """A canary that has nothing to change keeps nobody waiting."""
    waits, delays, _ = day
    went, _ = played(waves, day)
    canaries = [one for one in waves.canaries if waits[LABELS.index(one)]]
    at = {label: at_s for at_s, label in went}
    for at_s, label in went:
        if label in waves.canaries:
            continue
        for canary in canaries:
            assert canary in at
            assert at_s >= at[canary] + max(BAKE_S, delays[LABELS.index(canary)])


@given(settings(), days)
def test_everybody_goes_once_nothing_speaks_against_it(waves: Waves, day: Day) -> None:
    """No zone waits for ever, whatever befell meanwhile and in whichever order."""
    _, zones = played(waves, day)
    assert [label for label, one in zones.items() if one.waits] == []


@given(settings(), days, st.sampled_from(LABELS))
def test_while_something_speaks_against_one_zone_no_other_goes(
    waves: Waves, day: Day, label: str
) -> None:
    """And that one may, since it is the one to be mended; each other says why with its name."""
    zones = {one: Zone(waits) for one, waits in zip(LABELS, day[0], strict=True)}
    zones[label] = Zone(waits=True, turned_s=-1_000, applied_s=-990, against="it is empty")
    given_leaves = leaves(states(zones, 0), waves)
    stopped = [one for other, one in given_leaves.items() if other != label]
    assert all(isinstance(one, Wait) and one.is_stopped for one in stopped)
    assert all(
        isinstance(one, Wait) and f"stopped by {label}: it is empty" in one.why for one in stopped
    )


@given(settings(), days)
def test_what_goes_back_waits_for_nobody(waves: Waves, day: Day) -> None:
    """Past full windows, canaries that do not bake, stops, and a sentinel that is silent."""
    zones = {
        one: Zone(waits=True, turned_s=0, against="x" if waits else "")
        for one, waits in zip(LABELS, day[0], strict=True)
    }
    back = [replace(one, goes_back=True) for one in states(zones, 1)]
    given_leaves = leaves(back, waves, silent="it is silent")
    assert given_leaves == dict.fromkeys(given_leaves, Go())
    assert set(given_leaves) == set(LABELS)
