"""P7 over any history: no window takes out more than is allowed, and catching up is not wedged."""

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.names import Name
from dnsplan.plan import NameLedger
from dnsplan.velocity import VelocityLimit, allowance, catch_up_allowance, charged, may_remove

limits = st.builds(
    VelocityLimit,
    st.integers(1, 5),
    st.floats(0, 1, allow_nan=False),
    st.integers(1, 100),
)
# Seconds until the next wish to take targets out, and how many.
wishes = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), max_size=40)


@given(limits, st.integers(1, 30), wishes)
def test_no_window_takes_out_more(
    limit: VelocityLimit, targets: int, history: list[tuple[int, int]]
) -> None:
    """Taking out what may be taken, at any times, no sliding window loses more than allowed,
    the floor stands, and the enactor's allowance between any two plans covers what was done."""
    ledger = NameLedger(Name("a.example.com."), "A", targets, targets, ())
    answering, now_s = targets, 0
    removals: list[tuple[int, int]] = []
    for wait_s, wanted in history:
        now_s += wait_s
        taken = min(wanted, may_remove(ledger, limit, answering=answering, now_s=now_s))
        spent = charged(ledger, limit, removed=taken, now_s=now_s)
        ledger = NameLedger(ledger.name, ledger.type, targets, answering, spent)
        answering += -taken if taken else min(1, targets - answering)
        removals.append((now_s, taken))
        assert answering >= min(limit.min_targets, targets)
    for start_s, _ in removals:
        inside = sum(n for at, n in removals if start_s - limit.window_s < at <= start_s)
        assert inside <= allowance(limit, targets)
    for begin, (start_s, _) in enumerate(removals):
        for end in range(begin, len(removals)):
            gone = sum(n for _, n in removals[begin + 1 : end + 1])
            elapsed_s = removals[end][0] - start_s
            assert gone <= catch_up_allowance(limit, targets=targets, elapsed_s=elapsed_s)
