"""Judges every event of a run by the promises, from outside: no rule of the product is asked.

The first breach ends the run. What foreign hands and failovers do to a zone is nobody's breach;
what our processes make of it afterwards is.
"""

from collections.abc import Iterable, Mapping, Sequence

from dnsplan.codec import Envelope, seal, unseal
from dnsplan.generation import GenerationItem
from dnsplan.plan import ERA, SCHEMA, Digest, Generation, Plan, PlanId
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from sandbox.route53.model import Change
from sandbox.route53.zone import HostedZone
from tests.simulation.oracle import Resolver
from tests.simulation.publications import Publications
from tests.simulation.record import Actor, Record, There, Ticks, ZoneBook
from tests.simulation.seen import FENCE, Facts, Mark, mark_of, standing, wanted
from tests.simulation.staying import Staying


class Checkers:
    """`tests.simulation.cloud.Judge`."""

    def __init__(self, loop: Ticks, cloud: There) -> None:
        """Zones are added before anything runs."""
        self._record = Record(loop, cloud)
        self._breach = self._record.breach
        self._unsettled: set[tuple[str, int, str]] = set()
        self.staying = Staying(cloud.targets)
        self._publications = Publications(self._record, self.staying)
        self._resolver = Resolver(())
        # The newest form of plan that each life of a process reads.
        self.reads: dict[tuple[str, int], int] = {}

    @property
    def books(self) -> Mapping[str, ZoneBook]:
        """What is known of each zone."""
        return self._record.books

    def watch(self, zone: Zone) -> ZoneBook:
        """Begin with a zone as it stands."""
        self._record.books[zone.label] = ZoneBook(zone)
        self._resolver = Resolver([self._record.hosted(label) for label in self._record.books])
        return self._record.books[zone.label]

    def hosted(self, label: str) -> HostedZone:
        """The zone itself."""
        return self._record.hosted(label)

    # Calls that leave a process.

    def sent(self, process: Actor, zone: Zone, kind: str) -> None:
        """P11: after a write without an answer, the fence is read before anything is sent."""
        key = (process.name, process.life, zone.label)
        if kind == "read fence":
            self._unsettled.discard(key)
        elif key in self._unsettled:
            self._breach("P11", f"{process.name} sent a batch while its last one is unsettled")

    def unanswered(self, process: Actor, zone: Zone) -> None:
        """Note that a process does not know what became of a batch."""
        self._unsettled.add((process.name, process.life, zone.label))

    # What took effect in Route 53.

    def landed(self, process: Actor, zone: Zone, changes: Sequence[Change]) -> None:
        """Judge an accepted batch."""
        book, hosted = self._record.books[zone.label], self._record.hosted(zone.label)
        before, after = book.mark, mark_of(hosted)
        touched = {one.record.name for one in changes}
        is_operator = process.name.startswith("operator")
        after = self._in_order(book, before, after)
        self._hands_off(book, before, after, changes)
        if book.frozen and not is_operator:
            self._breach("P9", f"{process.name}'s batch landed after freeze had returned")
        book.mark = after
        book.tampered.discard(f"{FENCE}.{book.zone.name}")
        self._still_answering(book, touched)
        if is_operator:
            self._by_hand(book, after, process.name)
        self._vouched_for(book, after)
        if not is_operator and any(not name.startswith(FENCE) for name in touched):
            self._can_read(
                process, PlanId(zone.label, Generation(after.generation), Digest(after.digest))
            )
        self._one_content(book, after)
        self._as_the_fence_says(book, after)

    def _in_order(self, book: ZoneBook, before: Mark | None, after: Mark | None) -> Mark:
        if after is None:
            self._breach("P1", "a batch left the zone without a fence")
        if before is not None and after.place < before.place:
            self._breach("P1", f"the fence went from {before.place} to {after.place}")
        if before is not None and after.nonce == before.nonce:
            self._breach("P1", f"the fence's value {after.nonce} came twice")
        book.generations.add(after.generation)
        book.steps_max = max(book.steps_max, after.steps)
        return after

    def _hands_off(
        self, book: ZoneBook, before: Mark | None, after: Mark, changes: Sequence[Change]
    ) -> None:
        zone = book.zone.name
        if before is not None and before.owner not in {after.owner, *book.ceded}:
            self._breach("P6", f"the fence of {before.owner} was taken by {after.owner}")
        for change in changes:
            name, kind = change.record.name, change.record.type
            is_fence = name == f"{FENCE}.{zone}" and kind == "TXT"
            if not is_fence and (name not in book.managed or name == zone):
                self._breach("P6", f"{change.action} of {name} {kind}, which is not managed")

    def _still_answering(self, book: ZoneBook, touched: set[str]) -> None:
        """P2: what answered before this batch answers after it."""
        zone = self._record.hosted(book.zone.label)
        names = self._leading_to(zone, touched)
        now = self._resolver.spoken(zone, names)
        kinds = {one for one in book.answering if one[0] in names}
        silent = {
            (name, kind)
            for name, kind in kinds - now
            if not self._resolver.answers(name, kind) and name not in book.retired
        }
        if silent:
            self._breach("P2", f"{sorted(silent)} answered before this batch and are silent now")
        book.answering = (book.answering - kinds) | now
        book.answered |= now

    def _leading_to(self, zone: HostedZone, touched: set[str]) -> set[str]:
        """These names, and those that answer through them."""
        names = set(touched)
        for stored in zone.records():
            if (stored.alias is not None and stored.alias.name in touched) or (
                stored.type == "CNAME" and touched.intersection(stored.values)
            ):
                names.add(stored.name)
        return names

    def _vouched_for(self, book: ZoneBook, mark: Mark) -> None:
        """P8: a plan that nobody of ours made is no instruction."""
        if mark.digest in book.forged:
            self._breach("P8", f"generation {mark.generation} was forged, and a batch of it landed")

    def schema_of(self, plan_id: PlanId) -> int:
        """The form that a plan was stored in."""
        plan = self._record.plans.get(plan_id)
        return SCHEMA if plan is None else plan.schema

    def _can_read(self, process: Actor, plan_id: PlanId) -> None:
        """P8: a plan of a newer form is held, and never guessed."""
        reads = self.reads.get((process.name, process.life), SCHEMA)
        if (schema := self.schema_of(plan_id)) > reads:
            text = f"{process.name} reads plans up to schema {reads}, and went by one of {schema}"
            self._breach("P8", text)

    def _goes_on_from(self, writer: Actor, head: PlanId) -> None:
        """Only an operator may go on from a plan that his release does not read; what that plan
        knew of removals is lost, as docs/promises.md states."""
        if not writer.name.startswith("operator"):
            self._can_read(writer, head)
        elif self.schema_of(head) > self.reads.get((writer.name, writer.life), SCHEMA):
            self.lost_history(head.label)

    def _one_content(self, book: ZoneBook, mark: Mark) -> None:
        if mark.generation and book.issued.get(mark.generation) != mark.digest:
            self._breach(
                "P3",
                f"the fence says generation {mark.generation} is {mark.digest[:8]}; issued was"
                f" {str(book.issued.get(mark.generation))[:8]}",
            )

    def _as_the_fence_says(self, book: ZoneBook, mark: Mark) -> None:
        """A whole fence is what the zone holds, but for what others changed meanwhile."""
        if not mark.is_whole or mark.generation == 0:
            return
        wrong = self.otherwise(book, mark)
        if found := wrong - book.tampered:
            self._breach(
                "P3",
                f"the fence says that all of plan {mark.generation} stands, and {sorted(found)}"
                " stand otherwise",
            )
        book.tampered &= wrong

    def otherwise(self, book: ZoneBook, mark: Mark) -> set[str]:
        """Managed names that do not stand as the fence's plan states them."""
        plan = self._record.plan(book, mark.generation, mark.digest)
        return _otherwise(self._record.hosted(book.zone.label), plan.content)

    # What others do to a zone.

    def edited(self, label: str, names: Iterable[str]) -> None:
        """Foreign hands changed these names."""
        book, hosted = self._record.books[label], self._record.hosted(label)
        touched = set(names)
        fence = f"{FENCE}.{book.zone.name}"
        book.tampered |= touched & (book.managed | {fence})  # else they are a stranger's, and stay
        book.ever_edited |= touched
        book.mark = mark_of(hosted)
        led = self._leading_to(hosted, touched)
        book.answering = frozenset(
            {one for one in book.answering if one[0] not in led}
        ) | self._resolver.spoken(hosted, led)

    def failed_over(self, label: str) -> None:
        """Route 53 lost accepted changes: the past is the present."""
        book, hosted = self._record.books[label], self._record.hosted(label)
        book.mark = mark_of(hosted)
        book.answering = self._resolver.spoken(hosted, book.managed)
        item = self._record.cloud.table.items.get(label)
        known = {book.mark.generation if book.mark is not None else 0, item.head if item else 0}
        # What is lost before it is in sync, nobody was told to stand.
        for lost in [one for one in book.issued if one >= ERA and one > max(known)]:
            del book.issued[lost]
        if book.mark is not None and book.mark.generation:
            book.tampered |= self.otherwise(book, book.mark)

    def is_answering(self, label: str, name: str, kind: str) -> bool:
        """Whether a client gets an answer now."""
        return (name, kind) in self._record.books[label].answering

    def has_answered(self, label: str, name: str, kind: str) -> bool:
        """Whether a client ever got an answer that we gave."""
        return (name, kind) in self._record.books[label].answered

    # What people are told.

    def held(self, facts: Mapping[str, object]) -> None:
        """P14: a hold says its rule, its reason and what to run, a guardrail its limit as well."""
        rule, reason, command = (str(facts.get(key, "")) for key in ("rule", "reason", "command"))
        told = rule and reason and command.startswith("dns-")
        if not told or (rule == "guardrail" and "limit: " not in reason):
            self._breach("P14", f"held by {rule or 'nobody'} for {reason!r}, and run {command!r}")

    def restored(self, label: str, content: Iterable[RecordSet], held: Iterable[str]) -> None:
        """P13: what a restore says to have done stands, under a fence of its own."""
        book, hosted = self._record.books[label], self._record.hosted(label)
        fence = f"{FENCE}.{book.zone.name}"
        if fence not in book.tampered and (book.mark is None or book.mark.generation < ERA):
            self._breach("P13", f"a restore ended under the fence {book.mark}")
        wrong = _otherwise(hosted, content) - book.tampered - set(held)
        if wrong:
            self._breach("P13", f"a restore ended, and {sorted(wrong)} stand otherwise")

    # What took effect in the table.

    def stored(self, envelope: Envelope) -> None:
        """Remember a body as it was first stored."""
        self._record.plans.setdefault(envelope.plan_id, unseal(envelope))

    def imposed(self, label: str, plan_id: PlanId) -> None:
        """Somebody else published a plan of this zone, and need not keep promises."""
        self._record.books[label].issued[plan_id.generation] = plan_id.digest

    def forged(self, label: str, plan_id: PlanId) -> None:
        """A stranger put this plan in place."""
        self._record.books[label].forged.add(plan_id.digest)

    def looked(self, process: Actor, table_id: str) -> None:
        """Note which table a process believes that it works on."""
        self._record.tables[process.name] = table_id

    def wrote(
        self, before: GenerationItem | None, after: GenerationItem, writer: Actor | None = None
    ) -> None:
        """Judge an admitted conditional write."""
        book = self._record.books[after.label]
        if before is None:
            return
        if after.floor != before.floor:
            self._publications.floor_is_safe(book, after.floor, before)
        moved = after.head_id != before.head_id
        if moved and writer is not None:
            self._goes_on_from(writer, before.head_id)
        if moved and not self._record.is_stray(writer):
            self._publications.published(book, after.head, after.head_digest, before)

    def deleted(self, gone: Sequence[PlanId], label: str, writer: Actor | None = None) -> None:
        """Judge what cleanup did."""
        if not self._record.is_stray(writer):
            self._publications.deleted(gone, label)

    def vouched(self, operator: str, plan: Plan) -> None:
        """An operator may bring this plan into the zone by hand; then its number is taken."""
        self._record.plans.setdefault(seal(plan).plan_id, plan)
        book = self._record.books[plan.label]
        book.vouched[operator] = plan
        book.managed |= {str(one.name) for one in plan.content}

    def lost_history(self, label: str) -> None:
        """The table was set back: what it knew of removals is gone with it, and nobody can tell."""
        self._record.books[label].removals.clear()

    def _by_hand(self, book: ZoneBook, mark: Mark, operator: str) -> None:
        """What an operator's batch brings is what was vouched for, whatever it was planned on."""
        plan = book.vouched.get(operator)
        if plan is not None and plan.generation == mark.generation:
            plan_id = PlanId(book.zone.label, plan.generation, Digest(mark.digest))
            self._record.plans.setdefault(plan_id, plan)
            self._record.issue(book, mark.generation, mark.digest)


def _otherwise(hosted: HostedZone, content: Iterable[RecordSet]) -> set[str]:
    """Names that do not stand as stated."""
    wrong = set()
    for name, facts in _by_name(content).items():
        kinds = {fact[0] for fact in facts}
        there = {standing(one) for one in hosted.sets_at(name).values() if one.type in kinds}
        if there != facts:
            wrong.add(name)
    return wrong


def _by_name(content: Iterable[RecordSet]) -> dict[str, set[Facts]]:
    found: dict[str, set[Facts]] = {}
    for one in content:
        found.setdefault(str(one.name), set()).add(wanted(one))
    return found
