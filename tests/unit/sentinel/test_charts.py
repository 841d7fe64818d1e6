"""Who is asked next: spread evenly, bounded, the oldest suspicion first."""

from hypothesis import given
from hypothesis import strategies as st

from sentinel.charts import LOOKS_MAX, ROUNDS_MAX, Chart, due, late_s, open_charts
from sentinel.rules.course import Course, Ill, Suspected, Well
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Ailment
from sentinel.rules.pace import pace_for
from tests.unit.sentinel.cases import LAWS
from tests.unit.sentinel.world import shop

PACE = pace_for(30.0)
GONE = (Ailment("A", Finding.NXDOMAIN),)
DOUBTED = Ill(before=True, ailments=GONE, other=GONE)


def charts(count: int, *courses: Course) -> list[Chart]:
    """Charts that are all due at time zero, the first of them with these courses."""
    made = list(open_charts(shop(count), PACE, now_s=0.0).values())
    for chart, course in zip(made, courses, strict=False):
        chart.course = course
    for chart in made:
        chart.due_s = 0.0
    return made


def test_the_first_looks_fill_an_interval() -> None:
    """Evenly, in the order of the names."""
    opened = open_charts(shop(5), PACE, now_s=100.0).values()
    assert [chart.due_s for chart in opened] == [100.0, 101.0, 102.0, 103.0, 104.0]


def test_the_oldest_suspicion_is_confirmed_first_and_old_illnesses_last() -> None:
    """What may become a page goes before what may become its end."""
    new, old = Suspected(before=True, since_s=9.0), Suspected(before=True, since_s=3.0)
    made = charts(4, DOUBTED, new, old)
    asked = due(made, now_s=10.0)
    assert [chart.course for chart in asked.rounds] == [old, new, DOUBTED]
    assert list(asked.looks) == [made[3]]


def test_rounds_under_way_are_bounded_and_the_rest_waits() -> None:
    """Room is counted with what is being asked already."""
    suspects = [Suspected(before=True, since_s=float(at)) for at in range(ROUNDS_MAX + 10)]
    made = charts(len(suspects), *suspects)
    for chart in made[:4]:
        chart.asking = True
    asked = due(made, now_s=1.0)
    assert list(asked.rounds) == made[4:ROUNDS_MAX]
    assert list(asked.waiting) == made[ROUNDS_MAX:]


def test_looks_under_way_are_bounded() -> None:
    """However many names are due."""
    made = charts(LOOKS_MAX + 3)
    made[0].asking = True
    asked = due(made, now_s=1.0)
    assert (len(asked.looks), len(asked.waiting)) == (LOOKS_MAX - 1, 3)


def test_lateness_is_of_the_latest_that_a_page_may_come_from() -> None:
    """Ill names are paged already, and so are zones that are paged as a whole."""
    made = charts(3, DOUBTED, Suspected(before=True, since_s=0.0))
    made[0].due_s, made[1].due_s, made[2].due_s = 1.0, 4.0, 7.0
    asked = due(made, now_s=10.0)
    assert late_s(asked, (), now_s=10.0) == 6.0
    assert late_s(asked, {"shop"}, now_s=10.0) == 0.0


@LAWS
@given(
    st.integers(1, 50),
    st.lists(st.tuples(st.floats(0.0, 30.0), st.booleans()), max_size=20),
)
def test_names_keep_their_places(count: int, history: list[tuple[float, bool]]) -> None:
    """Whatever happens to a name: once it is calm it is asked at its own place of the interval, and
    no later than an interval from now."""
    chart = list(open_charts(shop(count), PACE, now_s=0.0).values())[-1]
    now_s = 0.0
    for after_s, is_calm in history:
        now_s += after_s
        course: Course = Well(before=True) if is_calm else Suspected(before=True, since_s=now_s)
        chart.move(course, PACE, now_s=now_s)
        if is_calm:
            places = (chart.due_s - chart.place_s) / PACE.interval_s
            assert abs(places - round(places)) < 1e-6
            assert now_s < chart.due_s <= now_s + PACE.interval_s + 1e-6
        else:
            assert chart.due_s == now_s
