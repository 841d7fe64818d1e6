"""What freeze, thaw, pin and unpin do to a zone, in words, before anybody is asked.

What stands is what the generation item calls applied. A freeze reads no plan: it must not wait.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from dnsplan.codec import contents
from dnsplan.diff import NameChange, diff
from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, Generation
from dnsplan.ports import PlanArchive, PlanRow
from dnsplan.records import RecordSet
from runbooks.controls.words import change_facts, changed_lines, counted
from runbooks.looking.line import Gone, published

Step: TypeAlias = tuple[NameChange, ...] | Gone


def aim(item: GenerationItem) -> Generation:
    """What enactors work to."""
    return item.head if item.pin is None else item.pin


async def step_to(archive: PlanArchive, item: GenerationItem, then: Generation) -> Step:
    """What changes on the way from what stands to another generation."""
    if then == item.applied:
        return ()
    try:
        rows = await archive.rows(item.label)
        before = await _content(archive, item, item.applied, rows)
        after = await _content(archive, item, then, rows)
    except DnsplanError as error:
        return Gone(str(error))
    if isinstance(before, Gone):
        return before
    return after if isinstance(after, Gone) else diff(before, after)


async def _content(
    archive: PlanArchive, item: GenerationItem, at: Generation, rows: Sequence[PlanRow]
) -> tuple[RecordSet, ...] | Gone:
    if at == NO_GENERATION:
        return ()
    found = published(item, rows, at)
    return found if isinstance(found, Gone) else contents(await archive.load(found)).content


def freeze_lines(labels: Sequence[str], items: Mapping[str, GenerationItem]) -> Iterator[str]:
    """What stays, and what waits; a line for each zone."""
    for label in labels:
        item = items.get(label)
        if item is None:
            yield f"{label}: has no plan; nothing can be sent to it yet"
        elif item.frozen is not None:
            yield f"{label}: frozen already by {item.frozen}, {_stands(item)}; its fence is moved"
        elif aim(item) == item.applied:
            yield f"{label}: {_stands(item)} and stays, no record changes"
        else:
            yield f"{label}: {_stands(item)} and stays, no record changes; {aim(item)} waits"


def step_lines(item: GenerationItem, then: Generation, step: Step) -> Iterator[str]:
    """The records before and after, where enactors go on to another generation."""
    if then == item.applied:
        yield f"{item.label}: {_stands(item)} and stays, no record changes"
        return
    when = "" if item.frozen is None else f" once {item.frozen} is thawed"
    goes = f"{item.label}: {_stands(item)}, enactors go on to {then}{when}"
    if isinstance(step, Gone):
        yield f"{goes}; what changes is not known: {step.why}"
    else:
        yield f"{goes}: changes {counted(len(step), 'name')}"
        yield from changed_lines(step)


def waiting_line(item: GenerationItem, pinned: Generation) -> Iterator[str]:
    """What a pin keeps from being sent."""
    if pinned < item.head:
        yield f"{item.label}: {item.head} is the newest, what is above {pinned} waits until unpin"


def standing_facts(item: GenerationItem, step: Step = ()) -> dict[str, object]:
    """A zone on which nothing was done, as JSON has it; `changes` is null where not known."""
    return {
        "label": item.label,
        "written": False,
        "head": item.head,
        "applied": item.applied,
        "frozen": item.frozen,
        "pin": item.pin,
        "changes": None if isinstance(step, Gone) else [change_facts(one) for one in step],
    }


def _stands(item: GenerationItem) -> str:
    if item.applied == NO_GENERATION:
        return "no generation stands yet"
    return f"generation {item.applied} stands"
