"""The ways to bring a zone to a plan: from the plan before it, from a listing, or from nothing.

The order of the reads is load-bearing. The fence is read before the view and before the claim, and
it is that value, never a fresher one, that the first batch deletes: so whatever happens between
the reading and the sending, Route 53 refuses the batch if anybody moved the zone.
"""

from collections.abc import Mapping

from dnsplan.diff import diff
from dnsplan.errors import check
from dnsplan.fence import SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import judge_live
from dnsplan.names import Name
from dnsplan.outcomes import Unknown as WriteUnknown
from dnsplan.outcomes import Written
from dnsplan.plan import NO_GENERATION, PlanId
from dnsplan.transitions import claim
from enactor.holding import Seen, look_again, ours_to_make
from enactor.judging import judged_against_base, refused
from enactor.notes import held_at, held_so_far, noted_fence
from enactor.ports import Outside
from enactor.progress import Progress
from enactor.room import RoomWatch
from enactor.rules.exceptions import HeldName, waiting_too
from enactor.rules.outcomes import Fenced, Held, HoldRule, Unknown
from enactor.rules.settle import position
from enactor.rules.view import half_done_before, ours, restricted
from enactor.sending import NONCE_BITS, AllSent, Sender, SendOutcome
from enactor.settings import Pace, ZoneTask
from enactor.shelf import Shelf
from enactor.viewing import Moved, Viewer

# Half of a page: where so much of it is gone, the rest of the zone is no better, so it is listed.
MENDED_BY_NAME_MAX = 150


class Enacting:
    """Fills a `Progress` until the plan stands, or says why not."""

    def __init__(
        self, outside: Outside, shelf: Shelf, room: RoomWatch, *, az: str, pace: Pace
    ) -> None:
        """One for each enactor; the shelf keeps decoded plans."""
        self._table = outside.table
        self._outside, self._pace = outside, pace
        self._jitter = outside.jitter
        self._exceptions = outside.exceptions
        self._shelf = shelf
        self._room = room
        self._viewer = Viewer(outside, pace=pace)
        self._sender = Sender(outside, writer=az, pace=pace)

    async def begin(
        self, task: ZoneTask, target: PlanId, fence: SeenFence | None, base: PlanId | None
    ) -> Progress:
        """Load the plan to reach, and those before it where they can still be had."""
        # In this order, so that the plan to reach is the one that the shelf keeps longest.
        before = dict.fromkeys(one for one in (base, _whole_at(task, fence)) if one is not None)
        standing = None if fence is None else fence.record
        known, unread = await self._shelf.what_there_is(before, standing=standing)
        # Whoever may move the fence alone could name a plan by it that nobody signed: such a plan
        # says what stood, and no record is written for it.
        shelved = await self._shelf.take(target, standing=None)
        return Progress(
            task=task,
            plan=shelved.plan,
            digest=shelved.plan_id.digest,
            desired=shelved.desired,
            base=next((one.plan for one in known if one.plan_id == base), None),
            known=tuple(one.desired for one in known),
            unread=unread,
            fence=fence,
        )

    async def advance(
        self, progress: Progress, item: GenerationItem, fence: SeenFence
    ) -> SendOutcome:
        """From one whole plan to a newer one, without listing the zone where it can be spared."""
        plan, base = progress.plan, progress.base
        if base is None:
            return await self.by_windows(progress, item)
        trusted = await self._viewer.trusted(progress.task.zone, fence, base)
        if trusted is None:
            return await self.by_windows(progress, item)
        live = trusted.live
        if trusted.held:
            live = restricted(live, progress.units_with(trusted.held.values()), plan)
        changes = ours_to_make(progress, trusted.held, trusted.live, diff(live, plan.content))
        return await self._judge_claim_send(progress, item, Seen(frozenset(), live, changes))

    async def by_windows(self, progress: Progress, item: GenerationItem) -> SendOutcome:
        """List the zone window by window and mend each while it is fresh.

        What ends goes last: by then every name is known that keeps records which lead to it.
        """
        if (held := judged_against_base(progress)) is not None:
            return held
        held_before = await self._held_before(progress, item)
        units = progress.units_with(held_before.values())
        start: Name | None = None
        ending: set[Name] = set()
        while (fence := progress.fence) is not None:
            window = await self._viewer.window(progress.task.zone, start, fence)
            if isinstance(window, Moved):
                return Fenced(position(fence), position(window.found))
            last = window.following is None
            live = restricted(window.listed, units, progress.plan)
            wanted = progress.desired.between(start, window.following)
            changes = ours_to_make(progress, held_before, window.listed, diff(live, wanted))
            if not last:
                ending |= {change.name for change in changes if not change.after}
                changes = tuple(change for change in changes if change.after)
            if changes or last:
                seen = Seen(frozenset(), live, changes, window.expires_s)
                more_follow = not last or bool(ending)
                sent = await self._judge_and_send(progress, item, seen, more_follow=more_follow)
                if not isinstance(sent, AllSent):
                    return sent
            if last:
                return await self._end(progress, item, ending, held_before)
            start = window.following
        return Unknown("the fence is gone")

    async def _held_before(
        self, progress: Progress, item: GenerationItem
    ) -> Mapping[Name, HeldName]:
        """The names held until now; notes besides what may explain their records, and how well."""
        fence = None if progress.fence is None else progress.fence.record
        held = await held_so_far(self._exceptions, item, fence)
        if fence is not None:
            half_done = half_done_before(
                fence, target=progress.plan.generation, applied=item.applied
            )
            progress.possible, unread = await self._shelf.some(
                item.label, half_done, standing=fence
            )
            progress.unread += unread
        if held.forgotten:
            progress.doubt(held.forgotten)
            before = range(item.floor, progress.plan.generation)
            progress.earlier, unread = await self._shelf.back_from(
                item.label, before, standing=fence
            )
            progress.unread += unread
        return held.names

    async def _end(
        self,
        progress: Progress,
        item: GenerationItem,
        ending: set[Name],
        held_before: Mapping[Name, HeldName],
    ) -> SendOutcome:
        """Let these names of other windows end, as far as they still stand when they are read."""
        while ending:
            seen = await look_again(self._outside, self._pace, progress, ending, held_before)
            ending -= seen.names
            sent = await self._judge_and_send(progress, item, seen, more_follow=bool(ending))
            if not isinstance(sent, AllSent):
                return sent
        return AllSent()

    async def first(self, progress: Progress, item: GenerationItem) -> SendOutcome:
        """A zone without a fence: ours to begin only if it holds nothing, or exactly our plan."""
        plan, base = progress.plan, progress.base
        listed = await self._viewer.whole(progress.task.zone)
        live = restricted(listed, ours(plan, base), plan)
        if live and (base is None or diff(live, base.content)):
            names = ", ".join(sorted({one.name for one in live})[:5])
            text = f"{item.label} has no fence, and {names} stand in it already"
            return Held(HoldRule.FENCE_MISSING, text, f"dns-runbook adopt {item.label}")
        seen = Seen(frozenset(), live, diff(live, plan.content))
        return await self._judge_claim_send(progress, item, seen)

    async def mend(
        self, progress: Progress, item: GenerationItem, names: frozenset[Name]
    ) -> tuple[SendOutcome, frozenset[Name]]:
        """The zone holds the plan but for these names: read them again, and change what differs.

        Sends nothing when nothing differs any more. The second part of the answer are the names
        that could not be read while the view is fresh. A zone with very many is listed.
        """
        held_before = await self._held_at_fence(progress)
        if held_before is not None:
            names = waiting_too(names, held_before, progress.task.zone.name)
        if held_before is None or len(names) > MENDED_BY_NAME_MAX:
            return await self.by_windows(progress, item), frozenset()
        seen = await look_again(self._outside, self._pace, progress, names, held_before)
        unseen = held_before.keys() - seen.names
        progress.held.update({name: held_before[name] for name in unseen})
        if not seen.changes and progress.held == held_before:
            return AllSent(), names - seen.names
        return await self._judge_claim_send(progress, item, seen), names - seen.names

    async def renew(
        self, progress: Progress, item: GenerationItem, fence: SeenFence
    ) -> SendOutcome:
        """The zone holds the plan and the table does not know: write the fence again, alone."""
        held = await self._held_at_fence(progress)
        if held is None:
            return await self.by_windows(progress, item)
        progress.held = dict(held)
        if (stopped := await self._claimed(progress, item)) is not None:
            return stopped
        return await self._sender.renew(progress, fence)

    async def _judge_claim_send(
        self, progress: Progress, item: GenerationItem, seen: Seen
    ) -> SendOutcome:
        if (held := judged_against_base(progress)) is not None:
            return held
        growth = sum(len(one.after) - len(one.before) for one in seen.changes)
        full = await self._room.refuses(progress.task.zone, growth)
        if full is not None:
            return Held(HoldRule.ZONE_FULL, full, f"dns-runbook status {item.label}")
        sent = await self._judge_and_send(progress, item, seen, more_follow=False)
        if isinstance(sent, AllSent):
            self._room.grew(item.label, growth)
        return sent

    async def _judge_and_send(
        self, progress: Progress, item: GenerationItem, seen: Seen, *, more_follow: bool
    ) -> SendOutcome:
        plan, base, limits = progress.plan, progress.base, progress.task.limits
        since = plan.generation - 1 if base is None else base.generation
        found = judge_live(seen.live, seen.changes, plan, limits, since=since)
        if (held := refused(found)) is not None:
            return held
        if not progress.claimed and (stopped := await self._claimed(progress, item)) is not None:
            return stopped
        return await self._sender.send(
            progress,
            seen.changes,
            more_follow=more_follow,
            expires_s=seen.expires_s,
            admitted=lambda: self._claimed(progress, item),
        )

    async def _claimed(self, progress: Progress, item: GenerationItem) -> Held | Unknown | None:
        """None when the generation is admitted, or why nothing may be sent."""
        task, plan, label = progress.task, progress.plan, item.label
        if plan.zone != task.zone.name or plan.owner != item.owner:
            text = f"plan {plan.generation} is for {plan.zone} of owner {plan.owner}"
            return Held(HoldRule.PLAN_UNUSABLE, text, f"dns-runbook history {label}")
        check(not task.observe, "no generation is claimed for a zone that is only observed")
        if await self._table.incarnation() != item.incarnation:
            text = f"{label}'s item belongs to another table than the one that is open"
            return Held(HoldRule.FOREIGN_TABLE, text, f"dns-runbook reconcile {label}")
        nonce = self._jitter.token(NONCE_BITS)
        wish = claim(item, plan.generation, zone_id=task.zone.zone_id, nonce=nonce)
        outcome = await self._table.write(wish)
        if isinstance(outcome, Written):
            progress.claimed = True
            return None
        if isinstance(outcome, WriteUnknown):
            return Unknown(f"claim: {outcome.reason}")
        text = f"the claim of generation {plan.generation} was refused: {outcome.why}"
        return Held(HoldRule.CLAIM_REFUSED, text, f"dns-runbook explain {label}")

    async def _held_at_fence(self, progress: Progress) -> Mapping[Name, HeldName] | None:
        """Names held back at the standing fence; None when the note is missing or short."""
        if progress.fence is None:
            return {}
        label = progress.task.zone.label
        return await held_at(self._exceptions, label, progress.fence.record)


def noted_base(item: GenerationItem) -> PlanId | None:
    """The newest plan that the table knows to be applied, with its digest."""
    fence = noted_fence(item)
    return None if fence is None else PlanId(item.label, fence.generation, fence.digest)


def _whole_at(task: ZoneTask, fence: SeenFence | None) -> PlanId | None:
    """The plan that the fence says to stand whole."""
    if fence is None or fence.record.generation == NO_GENERATION or not fence.record.is_complete:
        return None
    return PlanId(task.zone.label, fence.record.generation, fence.record.digest)
