"""One call of one port and its answer, in plain words."""

from collections.abc import Callable, Mapping
from functools import singledispatch

from dnsplan.codec import Envelope
from dnsplan.fence import FenceRecord, NoFence, SeenFence
from dnsplan.generation import GenerationItem, Transition
from dnsplan.outcomes import Accepted, ConditionFailed, Refused, Unknown, Written
from dnsplan.plan import PlanId
from dnsplan.ports import PlanRow, Zone
from enactor.ports import ChangeStatus, Cursor, Page
from enactor.rules.packing import ChangeBatch
from tests.simulation.explorer.script import Op
from tests.simulation.explorer.worlds import Answer


def exchange(call: Op, answer: Answer) -> str:
    """What was asked and what came back."""
    return f"{in_words(call)} -> {answer_in_words(answer)}"


def in_words(call: Op) -> str:
    """One call of one port."""
    said = _CALLS.get(call.method)
    return said(*call.args) if said is not None else call.method.replace("_", " ")


def answer_in_words(answer: Answer) -> str:
    """What came back."""
    if answer.error is not None:
        return f"{answer.error[0].__name__}: {answer.error[1]}"
    return _value(answer.value)


def _read(_labels: tuple[str, ...]) -> str:
    return "reads the item"


def _write(transition: Transition) -> str:
    put = [f"{k}={str(v)[:16]}" for k, v in transition.put if k != "applied_fence"]
    return f"writes {transition.name}: {', '.join(put)}"


def _submit(_zone: Zone, batch: ChangeBatch) -> str:
    rest = [
        f"{one.action.lower()} {one.record_set.name} {','.join(one.record_set.values)}"
        for one in batch.changes
        if not one.record_set.name.startswith("_dnsplan")
    ]
    return f"submits fence {_position(batch.fence)}; {', '.join(rest) or 'no records'}"


def _load(plan_id: PlanId) -> str:
    return f"loads plan {plan_id.generation}"


def _store(_envelope: Envelope, row: PlanRow) -> str:
    return f"stores plan {row.plan_id.generation}"


def _bury(row: PlanRow, _by: str, _now_s: int) -> str:
    return f"deletes plan {row.plan_id.generation}"


def _change_status(_zone: Zone, change_id: str) -> str:
    return f"asks how far change {change_id} is"


def _list_page(_zone: Zone, start: Cursor | None) -> str:
    return f"lists the zone from {start.name if start is not None else 'its beginning'}"


_CALLS: Mapping[str, Callable[..., str]] = {
    "read": _read,
    "write": _write,
    "submit": _submit,
    "load": _load,
    "store": _store,
    "bury": _bury,
    "change_status": _change_status,
    "list_page": _list_page,
}


def _position(fence: FenceRecord) -> str:
    held = f" held={fence.held}" if fence.held else ""
    frozen = f" frozen={fence.frozen}" if fence.frozen else ""
    return f"{fence.generation} {fence.step}/{fence.steps}{held}{frozen} by {fence.nonce}"


@singledispatch
def _value(_value: object) -> str:
    return "done"


@_value.register
def _(value: SeenFence) -> str:
    return _position(value.record)


@_value.register
def _(_value: NoFence) -> str:
    return "no fence"


@_value.register(Written)
@_value.register(Accepted)
def _(_value: Written | Accepted) -> str:
    return "done"


@_value.register
def _(value: ConditionFailed) -> str:
    return f"refused: {', '.join(map(str, value.failed))}"


@_value.register
def _(value: Refused) -> str:
    return f"refused: {'; '.join(value.messages[:1])}"


@_value.register
def _(value: Unknown) -> str:
    return value.reason


@_value.register
def _(value: ChangeStatus) -> str:
    return value.value


@_value.register
def _(value: Page) -> str:
    return f"{len(value.record_sets)} record sets"


@_value.register
def _(value: tuple) -> str:  # type: ignore[type-arg]  # dispatch is by class, not by what is in it
    items = [one[1] for one in value if isinstance(one, tuple)]
    return ", ".join(map(_item, items)) or f"{len(value)} found"


def _item(item: GenerationItem) -> str:
    frozen = f", frozen {item.frozen}" if item.frozen else ""
    pin = f", pin {item.pin}" if item.pin else ""
    return (
        f"head {item.head}, claimed {item.claimed}, applied {item.applied},"
        f" floor {item.floor}{frozen}{pin}"
    )
