"""An explanation as facts, plain lines and a terminal's text. Pure: it reads nothing.

Each line says one thing and, where there is something to do, the command; colour repeats what the
words say already.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import FLOOR, VELOCITY
from dnsplan.names import display, is_within, parse_name, typed
from dnsplan.records import RecordSet
from dnsplan.runtime.status.model import Unread
from dnsplan.trace import trace_of
from dnsplan.waivers import Offer, standing
from enactor.rules.drift import in_words
from runbooks.controls.words import moment
from runbooks.explaining.facts import NameFacts, ZoneFacts
from runbooks.explaining.findings import Finding, State
from runbooks.explaining.parts import last_facts, unit_facts
from runbooks.explaining.units import PoolState, Stands, UnitReport
from runbooks.history.past import never_stated
from runbooks.looking.line import Gone
from runbooks.looking.naming import nearest
from runbooks.verifying.show import answer_in_words

STYLES = {
    State.HOLDS: "yellow",
    State.BEHIND: "cyan",
    State.UNKNOWN: "red",
    State.CLEAR: "green",
}
_STANDS = {
    Stands.AS_PLANNED: "green",
    Stands.PENDING: "cyan",
    Stands.HELD: "yellow",
    Stands.DRIFT: "red",
    Stands.NOT_MANAGED: "dim",
    Stands.UNKNOWN: "red",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is shown; `name` and its reports only where one was asked for."""

    facts: ZoneFacts
    findings: tuple[Finding, ...]
    name: NameFacts | None
    units: tuple[UnitReport, ...]

    @property
    def is_held(self) -> bool:
        """Whether some rule holds."""
        return any(one.state is State.HOLDS for one in self.findings)

    @property
    def is_fine(self) -> bool:
        """Whether what was asked for is as planned, and known to be. Types beside it that neither
        config nor plan states are others', as NS and SOA at the apex always are."""
        if self.name is None:
            return all(one.state is State.CLEAR for one in self.findings)
        stated = self.facts.stated.units
        ours = [x for x in self.units if x.unit in stated or x.stands is not Stands.NOT_MANAGED]
        return bool(ours) and all(one.is_fine for one in ours)


def explain_text(what: Explanation) -> Iterator[Text]:
    """Line by line; the plain text of each is what a pipe gets."""
    label = what.facts.label
    yield Text(f"{label} {_zone_in_words(what.facts)}")
    if what.name is not None:
        yield from _name_text(label, what.name, what.units, what.facts)
    for offer in _waiting(what.facts):
        word = offer.waiver
        yield Text(
            f"{label} waived {word.rule} for generation {word.generation} until"
            f" {moment(offer.until_s)} by {word.by}: {word.because}",
            style="yellow",
        )
    for one in what.findings:
        if one.text:
            yield Text(f"{label} {one.state} {one.rule}: {one.told}", style=STYLES[one.state])
    for state in (State.UNKNOWN, State.CLEAR):
        rules = " ".join(one.rule for one in what.findings if one.state is state and not one.text)
        if rules:
            yield Text(f"{label} {state}: {rules}", style=STYLES[state])


def explain_facts(what: Explanation) -> dict[str, object]:
    """What `--json` prints."""
    fence = _fence(what.facts)
    item = what.facts.item if isinstance(what.facts.item, GenerationItem) else None
    return {
        "label": what.facts.label,
        "zone": what.facts.stated.apex,
        "head": None if item is None else item.head,
        "applied": None if item is None else item.applied,
        "live": None if fence is None else fence.generation,
        "as_planned": what.is_fine,
        "held": what.is_held,
        "rules": [
            {
                "rule": one.rule,
                "state": str(one.state),
                "text": one.text,
                "command": one.command or None,
                "page": one.page if one.text else None,
            }
            for one in what.findings
        ],
        "waivers": [
            {"rule": one.waiver.rule, "at": one.waiver.generation, "until_s": one.until_s}
            for one in _waiting(what.facts)
        ],
        "name": None if what.name is None else what.name.name,
        "owner": None if what.name is None else what.name.owner,
        "types": [unit_facts(one) for one in what.units],
        "last_change": None if what.name is None else last_facts(what.name),
        "unread": [str(one) for one in _unread(what)],
    }


def _waiting(facts: ZoneFacts) -> tuple[Offer, ...]:
    item = facts.item
    return standing(item, now_s=facts.now_s) if isinstance(item, GenerationItem) else ()


def _zone_in_words(facts: ZoneFacts) -> str:
    item, fence = facts.item, _fence(facts)
    parts = [f"zone {facts.stated.apex}:"]
    if fence is not None:
        step = f"step {fence.step}/{fence.steps}"
        parts.append(f"generation {fence.generation} is live ({step}, written by {fence.writer}),")
    else:
        unknown = isinstance(facts.fence, Unread)
        parts.append("what is live is not known," if unknown else "no plan is live,")
    if isinstance(item, GenerationItem):
        parts.append(f"head is {item.head}, applied {item.applied}")
    else:
        unknown = isinstance(item, Unread)
        parts.append("what is planned is not known" if unknown else "nothing is planned")
    return " ".join(parts)


def _nothing_text(label: str, shown: str, facts: ZoneFacts) -> Iterator[Text]:
    known = "nothing is known" if facts.unread() else "nothing stands and nothing is planned"
    yield Text(f"{label} {shown}: {known}; dns.yaml does not state it", style="dim")
    if handed := _handed_away(shown, facts):
        yield Text(f"{label} {shown}: lies below {handed} NS, whose servers answer for it")
    if near := nearest(shown, {stated for stated, _ in facts.stated.units}, facts.stated.apex):
        yield Text(f"{label} names like it: {', '.join(near)}")


def _handed_away(shown: str, facts: ZoneFacts) -> str | None:
    """The name that a stated delegation hands to other servers, this one with it."""
    cuts = (one for one, kind in facts.stated.units if kind == "NS" and one != facts.stated.apex)
    above = [one for one in cuts if is_within(parse_name(shown), one)]
    return display(min(above, key=len)) if above else None


def _name_text(
    label: str, name: NameFacts, units: Sequence[UnitReport], facts: ZoneFacts
) -> Iterator[Text]:
    shown = display(name.owner)
    if name.owner != name.name:
        yield Text(f"{label} {display(name.name)}: nothing stands there; {shown} answers for it")
    if not units:
        yield from _nothing_text(label, shown, facts)
    for one in units:
        what = f"{label} {shown} {one.unit[1]}"
        reason = f": {one.reason}" if one.reason else ""
        yield Text(f"{what} {one.stands}{reason}", style=_STANDS[one.stands])
        yield Text(f"{what} stated {one.stated}")
        yield Text(f"{what} planned {_sets(one.planned)}")
        yield Text(f"{what} standing {_sets(one.standing)}")
        for answer, good in one.answers:
            words = answer_in_words(one.unit[1], answer)
            text = f"{what} answered by {answer.server}: {words}"
            yield Text(text, style="" if good else "red")
        if one.pool is not None:
            yield from (Text(f"{what} {text}") for text in _pool_in_words(label, one.pool))
        if one.stands is Stands.DRIFT:
            yield Text(f"{what} next: dns-runbook audit {label}")
    if isinstance(name.answers, Unread):
        yield Text(f"{label} {shown} nobody was asked: {name.answers}", style="red")
    yield Text(f"{label} {shown} {_last_in_words(label, name)}")


def _pool_in_words(label: str, state: PoolState) -> Iterator[str]:
    limit = state.limit
    more = "" if state.free_s is None else f", more in {max(0, state.free_s)} s"
    yield (
        f"pool {state.pool.pool}: {state.targets} targets, {state.healthy} healthy when planned,"
        f" {state.answering} answer; {state.spent} of {state.allowed} taken out in"
        f" {limit.window_s} s, {state.may_go} may go now{more}; min_targets {limit.min_targets}"
    )
    if state.shards:
        sizes = ", ".join(f"{display(name)} {count}" for name, count in state.shards)
        yield f"in {len(state.shards)} shards, since Route 53 takes 100 members at a name: {sizes}"
    if not state.may_go:
        is_at_floor = state.answering <= limit.min_targets
        rule = FLOOR if is_at_floor else VELOCITY
        yield (
            f"{rule} lets no more go now; who waits: dns-planner plan {label};"
            f" next: dns-runbook waive {label} {rule} --because TEXT"
        )


def _last_in_words(label: str, name: NameFacts) -> str:
    last, history = name.last, f"dns-runbook history {label} {typed(name.owner)}"
    if isinstance(last, Unread):
        return f"last change not known: {last}"
    if last is None:
        return f"was changed by none of the plans that were looked at; next: {history}"
    row = last.row
    trace = trace_of(row.plan_id.digest)
    at = row.plan_id.generation
    when = f"generation {at} at {moment(row.created_s)}"
    said = f"{when} by {row.author}: {row.reason}; trace {trace}"
    if isinstance(last.changes, Gone):
        if never_stated(last, name.owner):
            return f"was stated by no plan that is kept, since generation {at} ({last.changes.why})"
        return f"last changed in or before {said} ({last.changes.why})"
    return f"last changed in {said}; earlier: {history}"


def _sets(record_sets: tuple[RecordSet, ...] | None) -> str:
    return "not known" if record_sets is None else in_words(record_sets)


def _unread(what: Explanation) -> Iterator[Unread]:
    yield from what.facts.unread()
    if what.name is not None:
        parts = (what.name.listed, what.name.answers, what.name.last)
        yield from (part for part in parts if isinstance(part, Unread))


def _fence(facts: ZoneFacts) -> FenceRecord | None:
    if isinstance(facts.fence, Unread) or facts.fence.fence is None:
        return None
    return facts.fence.fence.record
