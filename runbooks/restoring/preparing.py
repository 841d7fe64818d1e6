"""Finds out what a restore would change. Only reads.

The fence is read before the listing, so that what is shown is told of one zone; it is read and
listed again when the operator has agreed.
"""

from dataclasses import dataclass

from dnsplan.diff import NameChange, diff
from dnsplan.formats.planfile import PlanFile
from dnsplan.normal import normal_form
from dnsplan.plan import sorted_content
from dnsplan.ports import Clock, Jitter, Zone
from dnsplan.records import RecordSet
from dnsplan.violation import Violation
from enactor.ports import ZoneReach, ZoneRecords
from enactor.progress import Desired
from enactor.rules.packing import pack
from enactor.settings import Pace
from enactor.viewing import Viewer
from runbooks.controls.fence_mover import Tell
from runbooks.controls.outside import Refused
from runbooks.controls.standing import Standing, read_standing
from runbooks.restoring import rules
from runbooks.restoring.hand import PassingNotes, ToldRecords
from runbooks.restoring.rules import Target, Word

VIOLATIONS_SHOWN_MAX = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What would be done. `before` is what stands at the stated names and types now."""

    zone: Zone
    stated: PlanFile
    standing: Standing
    target: Target
    changes: tuple[NameChange, ...]
    before: tuple[RecordSet, ...]
    batches: int
    pages: int

    @property
    def is_done(self) -> bool:
        """Whether the whole of this file stands already."""
        fence = self.standing.fence
        seen = None if fence is None else fence.record
        return not self.changes and rules.is_whole(seen, self.target)


class Preparing:
    """Reads through the ports."""

    def __init__(self, records: ZoneRecords, clock: Clock, jitter: Jitter, *, pace: Pace) -> None:
        """`pace` says how old a listing may be."""
        self._records, self._clock = records, clock
        self._jitter, self._pace = jitter, pace

    async def prepare(
        self, zone: Zone, stated: PlanFile, word: Word, *, operator: str, tell: Tell
    ) -> Prepared:
        """What would be done, or Refused."""
        told = ToldRecords(self._records, tell)
        standing = await read_standing(told, zone)
        now_s = int(self._clock.now_s())
        target = rules.target_of(stated, standing, word, now_s=now_s, operator=operator)
        rules.check_standing(stated, standing, target, word)
        listed = await self._viewer(told).whole(zone)
        before = rules.ours(listed, stated.content)
        changes = diff(before, stated.content)
        refuse(rules.violations(listed, changes, target.plan), "nothing was changed:")
        packed = pack(changes, zone.name, Desired(target.plan).of)
        return Prepared(
            zone=zone,
            stated=stated,
            standing=standing,
            target=target,
            changes=changes,
            before=before,
            batches=len(packed.groups),
            pages=told.pages,
        )

    def _viewer(self, records: ZoneRecords) -> Viewer:
        reach = ZoneReach(
            records=records, exceptions=PassingNotes(), clock=self._clock, jitter=self._jitter
        )
        return Viewer(reach, pace=self._pace)


def refuse(found: tuple[Violation, ...], lead: str) -> None:
    """Refused with every violation; nothing lifts one of them."""
    if not found:
        return
    more = len(found) - VIOLATIONS_SHOWN_MAX
    shown = [*map(str, found[:VIOLATIONS_SHOWN_MAX]), *([f"{more} more"] if more > 0 else [])]
    raise Refused("\n".join([lead, *shown, "edit the file and run it again"]))


def saved(prepared: Prepared) -> PlanFile | None:
    """What stands now at the stated names, as a file that brings it back; None: nothing does."""
    if not prepared.before:
        return None
    stated, fence = prepared.stated, prepared.standing.fence
    return PlanFile(
        label=stated.label,
        zone=stated.zone,
        owner=stated.owner,
        generation=prepared.target.plan.generation,
        digest="" if fence is None else fence.record.digest,
        author="what stood",
        reason=f"before restore {prepared.target.plan.generation}",
        content=sorted_content(tuple(map(normal_form, prepared.before))),
    )
