"""What ends each failure of a drill: its page's commands in their order, and what stands between
them. A rehearsal types them; none means that the right thing is to look and to wait.
"""

from collections.abc import AsyncIterator, Callable

from planner.rules.vantage import FRESH_S
from runbooks.drilling.making import BAD_MAIL, FENCE, MAIL_IS, WAITS_S, deploy
from runbooks.drilling.stand import LABEL, ZONE, Stand

Answer = Callable[[Stand], AsyncIterator[str]]


def typed(*commands: str) -> Answer:
    """These, one after the other."""

    async def answer(_stand: Stand) -> AsyncIterator[str]:
        for command in commands:
            yield command

    return answer


# The right thing is to look, and to wait.
wait = typed()


async def thaw(stand: Stand) -> AsyncIterator[str]:
    """Thaw what the fence says is frozen."""
    yield f"dns-runbook thaw {LABEL} {await _said(stand, 'frozen')} --because drill --yes"


async def plan_by_hand(stand: Stand) -> AsyncIterator[str]:
    """What a silent planner said last counts until it is stale; before, nobody is outvoted."""
    await stand.clock.sleep(FRESH_S + 2.0)
    yield f"dns-planner plan {LABEL} --publish"


async def roll_back(stand: Stand) -> AsyncIterator[str]:
    """The content before, pinned; then dns.yaml is put right, and the pin is over."""
    before = int(await _said(stand, "generation")) - 1
    yield f"dns-runbook rollback {LABEL} {before} --pin --because drill --yes"
    await deploy(stand, BAD_MAIL, MAIL_IS)
    yield f"dns-runbook unpin {LABEL} --because drill --yes"


async def waive_velocity(stand: Stand) -> AsyncIterator[str]:
    """Once velocity has let go what it may, an operator says that the rest is really gone."""
    until_s = stand.clock.elapsed_s() + WAITS_S
    while len(await stand.ask(ZONE, "A") or ()) != 2 and stand.clock.elapsed_s() < until_s:
        await stand.clock.sleep(0.5)
    yield f"dns-runbook waive {LABEL} velocity --because drill --yes"


async def _said(stand: Stand, word: str) -> str:
    """What the fence says of something."""
    (text,) = await stand.ask(FENCE, "TXT") or ("",)
    return text.partition(f"{word}=")[2].partition('"')[0].partition(" ")[0]
