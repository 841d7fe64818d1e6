"""Judges what is published and what is deleted: numbers, contents, removals, and the floor."""

from collections.abc import Sequence

from dnsplan.generation import GenerationItem
from dnsplan.plan import ERA, Plan, PlanId
from tests.simulation.record import Record, ZoneBook
from tests.simulation.seen import mark_of
from tests.simulation.staying import Staying
from tests.simulation.workload import LIMIT


class Publications:
    """The judge of the table."""

    def __init__(self, record: Record, staying: Staying) -> None:
        """`staying` knows which targets must go on answering."""
        self._record, self._staying = record, staying
        self._breach = record.breach

    def published(
        self, book: ZoneBook, generation: int, digest: str, before: GenerationItem
    ) -> None:
        self._record.issue(book, generation, digest)
        plan = self._record.plan(book, generation, digest)
        for one in plan.content:
            book.managed.add(str(one.name))
        book.retired |= {str(one.name) for one in plan.retired}
        # These say what stands, whatever was planned before; they change nobody's answer.
        opens_era = plan.generation % ERA == 0
        is_survey = opens_era or plan.reason.startswith("adopt")
        if opens_era and not plan.ledger:
            book.removals.clear()  # a restore's plan, kept as it stands, knows of no removal
        if before.head_digest in book.forged and not is_survey:
            self._breach("P8", f"plan {generation} follows {before.head}, which was forged")
        if before.head in book.issued and not is_survey:
            old = self._record.plan(book, before.head, before.head_digest)
            self._nothing_vanished(book, old, plan)
            self._well_stay(old, plan)
            self._slowly(book, old, plan)

    def _nothing_vanished(self, book: ZoneBook, old: Plan, new: Plan) -> None:
        gone = {str(one.name) for one in old.content} - {str(one.name) for one in new.content}
        if gone - book.retired:
            self._breach("P8", f"plan {new.generation} leaves out {sorted(gone)}")

    def _well_stay(self, old: Plan, new: Plan) -> None:
        """P8: what people took out by a rollback is their word."""
        if new.author.startswith("planner") and (gone := self._staying.taken_out(old, new)):
            self._breach("P8", f"plan {new.generation} takes out {sorted(gone)}, which are well")

    def _slowly(self, book: ZoneBook, old: Plan, new: Plan) -> None:
        """P7, on the true clock, for names that a pool drives."""
        before, after, now_s = _answers(old), _answers(new), self._record.now_s
        waived = {one.rule for one in new.waivers}
        for name in sorted({str(one.name) for one in new.ledger} & before.keys()):
            left, there = after.get(name, frozenset()), before[name]
            if len(left) < min(LIMIT.min_targets, len(there)):
                self._breach("P7", f"{name} is left with {len(left)} targets of {len(there)}")
            removed = len(there - left)
            history = book.removals.setdefault(name, [])
            if not removed or "velocity" in waived:
                continue
            history.append((now_s, removed))
            window_s = LIMIT.window_s - 2.0  # plans carry whole seconds
            spent = sum(count for at_s, count in history if at_s > now_s - window_s)
            targets = max(len(there), *(one.targets for one in new.ledger if one.name == name))
            limit = max(1, int(LIMIT.max_removed_share * targets))
            if spent > limit:
                self._breach("P7", f"{spent} targets left {name} in {window_s} s; limit {limit}")

    def floor_is_safe(self, book: ZoneBook, floor: int, item: GenerationItem) -> None:
        mark = mark_of(self._record.hosted(book.zone.label))
        needed: list[int] = [item.claimed, item.last_known_good, item.applied]
        if item.pin is not None:
            needed.append(item.pin)
        if mark is not None and mark.owner == item.owner:
            needed.append(mark.generation if mark.step == mark.steps else mark.base)
        if floor > min(needed):
            self._breach("P5", f"the floor rose to {floor}; needed still: {min(needed)}")

    def deleted(self, gone: Sequence[PlanId], label: str) -> None:
        """P5: no body at or above the floor goes, none that is live."""
        item, mark = self._record.cloud.table.items.get(label), mark_of(self._record.hosted(label))
        for one in gone:
            if item is None or one.generation >= item.floor:
                floor = None if item is None else item.floor
                self._breach(
                    "P5", f"the body of {one.generation} was deleted; the floor is {floor}"
                )
            if mark is not None and (one.generation, one.digest) == (mark.generation, mark.digest):
                self._breach("P5", f"the body of the live plan {one.generation} was deleted")


def _answers(plan: Plan) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one in plan.content:
        if one.type in ("A", "AAAA"):
            found.setdefault(str(one.name), set()).update(one.values)
    return {name: frozenset(values) for name, values in found.items()}
