"""How often names are asked and how long anything may take, so that a page comes in time.

All times are shares of `page_within_s`. With 30 s: each name is asked every 5 s, a question may
take 2 s, and two rounds over every path, a second apart, confirm what a look found. Nothing waits
for another name's questions; `found_within_s` adds all of it up.
"""

from dataclasses import dataclass

# Two rounds over all paths: one round could fall into the moment between two changes of a zone.
ROUNDS_TO_CONFIRM = 2
# TCP costs a connection; so each name is asked over TCP about once a minute. A prime, so that TCP
# comes round to every one of a zone's servers.
TCP_LOOK_EACH = 13


@dataclass(frozen=True, slots=True)
class Pace:
    """The times of one sentinel.

    Invariant: found_within_s + 2 * sink_s <= page_within_s; so a page that is found last is still
    handed to a sink, and may be tried a second time, within the promise.
    """

    page_within_s: float
    tick_s: float
    interval_s: float
    ask_s: float
    pause_s: float
    # How long a name that some servers still answer is watched before it pages: the servers of a
    # zone do not take over a change at the same moment.
    patience_s: float
    # The same for a name that has never been seen to answer: it may not be there yet.
    newcomer_patience_s: float
    sink_s: float

    @property
    def found_within_s(self) -> float:
        """The longest from the moment in which a name stops answering to the decision to page."""
        # What is due waits for the next tick, which may come a little late, and is then spread
        # until the one after.
        wait_s = 3 * self.tick_s
        look_s = self.interval_s + wait_s + self.ask_s
        rounds_s = ROUNDS_TO_CONFIRM * (wait_s + self.ask_s)
        return look_s + rounds_s + (ROUNDS_TO_CONFIRM - 1) * self.pause_s

    @property
    def late_s(self) -> float:
        """A look that is this much late puts the promise in danger."""
        return self.page_within_s - self.found_within_s - self.sink_s


def pace_for(page_within_s: float) -> Pace:
    """Split the time."""
    return Pace(
        page_within_s=page_within_s,
        tick_s=page_within_s / 300,
        interval_s=page_within_s / 6,
        ask_s=page_within_s / 15,
        pause_s=page_within_s / 30,
        patience_s=page_within_s / 3,
        newcomer_patience_s=page_within_s * 2 / 3,
        sink_s=page_within_s / 6,
    )
