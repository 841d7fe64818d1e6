"""The fake table and DynamoDB agree on any history of writes, so that what is shown on the fake
holds on the real thing."""

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dnsplan.generation import (
    AbsentOr,
    AtLeast,
    AtMost,
    Condition,
    Equals,
    IsAbsent,
    Transition,
    Value,
)
from dnsplan.ports import GenerationTable
from dnsplan.transitions import create
from sandbox.aws.server import serve
from tests.contracts.conftest import DYNALITE, TABLE, Store, adapters
from tests.fakes.table import FakeTable
from tests.unit.dnsplan.samples import item

NUMBERS = ("head", "claimed", "floor", "pin", "ahead")
TEXTS = ("frozen", "zone_id", "owner", "waivers")
EXAMPLES = itertools.count()
REMOVABLE = ("pin", "ahead", "frozen", "zone_id", "waivers")

small = st.integers(0, 3)
words = st.sampled_from(["a", "b"])
comparisons: st.SearchStrategy[Equals | AtMost | AtLeast] = st.one_of(
    st.builds(Equals, st.sampled_from(NUMBERS), small),
    st.builds(Equals, st.sampled_from(TEXTS), words),
    st.builds(AtMost, st.sampled_from(NUMBERS), small),
    st.builds(AtLeast, st.sampled_from(NUMBERS), small),
)
conditions: st.SearchStrategy[Condition] = st.one_of(
    st.builds(IsAbsent, st.sampled_from((*REMOVABLE, "label"))),
    comparisons,
    st.builds(AbsentOr, comparisons),
)


@st.composite
def transitions(draw: st.DrawFn) -> Transition:
    """Any conditional write of one of two labels; it never makes an item (create does)."""
    put: dict[str, Value | None] = {}
    put.update(draw(st.dictionaries(st.sampled_from(NUMBERS), small, max_size=2)))
    put.update(draw(st.dictionaries(st.sampled_from(TEXTS), words, max_size=2)))
    put.update(draw(st.dictionaries(st.sampled_from(REMOVABLE), st.none(), max_size=1)))
    return Transition(
        name="any",
        label=draw(st.sampled_from(["one", "two"])),
        nonce=draw(st.text("0123456789", min_size=8, max_size=8)),
        conditions=(AtLeast("head", 0), *draw(st.lists(conditions, max_size=3))),
        put=tuple(put.items()),
    )


created = st.builds(
    lambda label, nonce: create(
        item(label=label, nonce=nonce, head=1, claimed=0, floor=0, zone_id="a")
    ),
    st.sampled_from(["one", "two"]),
    st.text("0123456789", min_size=8, max_size=8),
)
histories = st.lists(st.one_of(created, transitions(), transitions()), min_size=1, max_size=12)


@pytest.fixture(scope="module", params=["stand-in", DYNALITE])
def real(request: pytest.FixtureRequest) -> Iterator[tuple[asyncio.Runner, Store]]:
    """The adapter on a server, with a loop that lives for all examples."""
    with pytest.MonkeyPatch.context() as environment, asyncio.Runner() as runner:
        stack = AsyncExitStack()
        environment.setenv("AWS_ACCESS_KEY_ID", "parity")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        if request.param == "stand-in":
            url = runner.run(stack.enter_async_context(serve())).endpoint_url
        else:
            url = request.getfixturevalue(request.param)
        environment.setenv("AWS_ENDPOINT_URL", url)
        yield runner, runner.run(stack.enter_async_context(adapters(TABLE)))
        runner.run(stack.aclose())


@given(histories)
@settings(deadline=None, max_examples=60)
def test_any_history_has_the_same_outcomes(
    real: tuple[asyncio.Runner, Store], history: list[Transition]
) -> None:
    """Outcome by outcome, reason by reason, item by item, fake and adapter are the same."""
    runner, store = real
    runner.run(compare(store.table, history))


async def compare(table: GenerationTable, history: Sequence[Transition]) -> None:
    """Run a history on both, on labels that no other example uses."""
    fake, mark = FakeTable(), f"{next(EXAMPLES)}"
    for drawn in history:
        write = replace(drawn, label=drawn.label + mark)
        assert await table.write(write) == await fake.write(write)
    labels = ["one" + mark, "two" + mark]
    assert dict(await table.read(labels)) == dict(await fake.read(labels))
