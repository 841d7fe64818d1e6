"""What a plan states for a name, however many names are asked for."""

from msgspec import structs

from dnsplan.names import Name
from enactor.progress import LOOKED_UP_MAX, Desired
from tests.unit.planner.cases import a, plan

PLAN = plan(
    a("a.example.com.", "192.0.2.1"), a("b.example.com.", "192.0.2.2"), a("d.example.com.", "::1")
)
NAMES = [Name(f"{letter}.example.com.") for letter in "0abcd"] + [Name("z.example.com.")]


def test_few_names_and_many_are_answered_alike() -> None:
    """Those at either end, those between, and those that it does not state."""
    desired = Desired(PLAN)
    few = [desired.of(name) for name in NAMES]
    for _ in range(LOOKED_UP_MAX):
        desired.of(NAMES[0])
    assert [desired.of(name) for name in NAMES] == few
    stated = {one.name: (one,) for one in PLAN.content}
    assert few == [stated.get(name, ()) for name in NAMES]


def test_a_plan_out_of_order_hides_no_name() -> None:
    """Planners make none, but what a key vouches for is not always made by a planner."""
    turned = Desired(structs.replace(PLAN, content=PLAN.content[::-1]))
    assert [turned.of(name) for name in NAMES] == [Desired(PLAN).of(name) for name in NAMES]


def test_a_unit_is_a_name_with_its_type() -> None:
    """Another type at a name is not stated by it."""
    desired = Desired(PLAN)
    assert desired.states((NAMES[1], "A"))
    assert not desired.states((NAMES[1], "TXT"))
    assert not desired.states((NAMES[0], "A"))
