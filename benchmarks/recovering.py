"""The figures of a recovery for people, and how fast a flood comes."""

from collections.abc import Iterator

from enactor.rules.packing import ELEMENTS_MAX
from tests.simulation.fleet.recovery import Recovery, wasted
from tests.simulation.fleet.world import Size

_PAGE = 300
_FENCE_PAIR = 2
# DELETE and CREATE of a record set with one value.
_ELEMENTS_A_RECORD = 2


def requests_a_zone(size: Size) -> int:
    """A look at the fence, the fewest batches, a poll, and the pages that are read back."""
    batches = -(-size.records * _ELEMENTS_A_RECORD // (ELEMENTS_MAX - _FENCE_PAIR))
    return 1 + batches + 1 + -(-size.records // _PAGE)


def flood_each_s(size: Size, *, load: float) -> float:
    """How often each zone changes for its plans to ask for so many times the account's limit."""
    return size.zones * requests_a_zone(size) / size.account_per_s / load


def lines(recovery: Recovery) -> Iterator[str]:
    """A run for people."""
    yield f"{recovery.zones} zones of {recovery.records} record sets, all changed"
    how = "over" if recovery.is_over else "NOT over"
    yield f"{how} after {recovery.took_s / 60:.1f} min"
    yield f"useful of sent: {recovery.useful_share:.1%}, worst minute {_worst(recovery)[0]:.1%}"
    yield f"sent of the limit: {recovery.sent_share:.1%}, worst minute {_worst(recovery)[1]:.1%}"
    yield f"batches of a plan that was not the newest: {recovery.overtaken}"
    yield f"batches that took a zone back: {recovery.went_back}"
    yield f"lag: median {recovery.lag_s_median:.0f} s, worst {recovery.lag_s_worst:.0f} s"
    rest = ", ".join(f"{why} {count}" for why, count in wasted(recovery).most_common())
    yield f"waste: {rest or 'none'}"
    yield "minute  sent  useful  lost  throttled  by the clock  zones behind  oldest change"
    for at, one in enumerate(recovery.minutes, 1):
        yield (
            f"{at:>6}{one.sent:>6}{one.useful:>8}{one.lost:>6}{one.throttled:>11}{one.apart:>14}"
            f"{one.behind:>14}{one.lag_s:>13.0f} s"
        )


def _worst(recovery: Recovery) -> tuple[float, float]:
    return recovery.useful_share_worst, recovery.sent_share_worst
