"""From every starting state the zone converges, or it is held and the hold says what to run."""

import pytest

from dnsplan.codec import unseal
from dnsplan.fence import FenceRecord
from dnsplan.records import by_key
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync
from runbooks.main import app
from tests.cases.stages import Wire
from tests.fakes.world import World
from tests.unit.starting_states.grounds import Ground
from tests.unit.starting_states.states import STATES, Converges, Holds, HoldsName, State

ALL = {state.begin.__name__: state for state in STATES}
ON_WIRE = [name for name, state in ALL.items() if state.on_wire]


async def check_converged(ground: Ground) -> None:
    """The newest plan stands, whole; nobody else's record was touched."""
    outcome = await ground.converge()
    assert isinstance(outcome, InSync | Applied), outcome
    item, fence = await ground.stage.item(), await ground.fence()
    assert isinstance(fence, FenceRecord)
    assert (fence.generation, fence.digest) == (item.head, item.head_digest)
    assert (fence.is_complete, fence.held, item.applied) == (True, 0, item.head)
    plan = unseal(await ground.stage.archive.load(item.head_id))
    assert by_key(ground.content()) == by_key((*plan.content, *ground.kept))


async def check_name_held(ground: Ground, ends: HoldsName, mend: State) -> None:
    """All but one name stands as planned; that one keeps what it has."""
    before = {one for one in ground.content() if one.name == ends.name.name}
    await ground.converge()
    item, fence = await ground.stage.item(), await ground.fence()
    assert isinstance(fence, FenceRecord)
    assert (fence.generation, fence.is_complete, fence.held) == (item.head, True, 1)
    assert item.last_known_good < item.head
    plan = unseal(await ground.stage.archive.load(item.head_id))
    others = {one for one in plan.content if one.name != ends.name.name}
    assert ground.content() == others | before
    if mend.mend is not None:
        await mend.mend(ground)
        await check_converged(ground)


async def check_held(ground: Ground, ends: Holds, mend: State) -> None:
    """Nothing is written, over several cycles; the command then lets it converge."""
    content, fence = ground.content(), await ground.fence()
    for _ in range(3):
        outcome = await ground.converge()
        assert isinstance(outcome, Held)
        assert (outcome.rule, outcome.command) == (ends.rule, ends.command)
    assert (ground.content(), await ground.fence()) == (content, fence)
    if mend.mend is not None:
        await mend.mend(ground)
        await check_converged(ground)


async def check(ground: Ground, state: State) -> None:
    """Bring the state about and see how it ends."""
    await state.begin(ground)
    match state.ends:
        case Converges():
            await check_converged(ground)
        case HoldsName():
            await check_name_held(ground, state.ends, state)
        case Holds():
            await check_held(ground, state.ends, state)


@pytest.mark.parametrize("name", ALL)
async def test_a_starting_state_ends_as_the_table_says(name: str) -> None:
    """Converges, holds one name, or holds the zone and names the command that helps."""
    await check(Ground(World()), ALL[name])


@pytest.mark.parametrize("name", ON_WIRE)
async def test_the_same_through_the_real_adapter(name: str, wire: Wire) -> None:
    """The rows that happen most, with every request as the SDK sends it."""
    await check(Ground(wire), ALL[name])


def test_every_zone_wide_hold_that_a_state_can_cause_is_in_the_table() -> None:
    """Rules of a hold that no starting state brings about are those of a single cycle."""
    of_a_cycle = {
        "claim_refused",
        "denied",
        "drift",
        "guardrail",
        "observing",
        "read_failed",
        "refused",
        "unvouched",  # wants keys in the config: tests/unit/signing
        "zone_full",
    }
    in_table = {state.ends.rule for state in STATES if isinstance(state.ends, Holds)}
    assert set(map(str, set(HoldRule) - in_table)) <= of_a_cycle


# These end a hold and are described where the hold is; each is to be a command of its own.
TO_COME = {"reconcile", "history"}


@pytest.mark.parametrize(
    "command", sorted({s.ends.command for s in STATES if isinstance(s.ends, Holds)})
)
def test_a_hold_names_a_command_that_exists(command: str) -> None:
    """What is typed at 3 a.m. must be there."""
    program, verb, *_ = command.split()
    known = {one.name for one in app.registered_commands} | TO_COME
    assert program == "dns-planner" or verb in known
