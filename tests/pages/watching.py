"""Judges every batch that lands in the room's zones while a page is followed, by what it leaves.

Hands beside the fence are no batch of ours and are not judged. It never repairs: the first broken
promise ends the play.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dnsplan.fence import FENCE_TYPE, FenceRecord, fence_name, parse_fence
from dnsplan.names import Name, parse_name
from sandbox.route53.account import AcceptedChange, Account
from sandbox.route53.model import Change, StoredRecordSet
from sandbox.route53.zone import HostedZone

AZS = frozenset({"use1-az1", "use1-az2", "use1-az3"})
ANSWERS = frozenset({"A", "AAAA", "CNAME"})
APEX_TYPES = frozenset({"NS", "SOA", "DS", "DNSKEY"})


class BrokenPromise(AssertionError):
    """A batch of ours broke a promise of docs/promises.md."""


@dataclass(slots=True)
class Watched:
    """An account whose every batch is judged. `ending` are names that the play retires."""

    account: Account
    ending: set[str] = field(default_factory=set)
    batches: int = 0

    def submit(
        self, zone_id: str, changes: Sequence[Change], comment: str | None = None
    ) -> AcceptedChange:
        """Let the account judge by Route 53's rules, then judge what it accepted by ours."""
        zone = self.account.zone(zone_id)
        names = {one.record.name for one in changes}
        before = {name: dict(zone.sets_at(name)) for name in names}
        fence = _fence(zone)
        done = Account.submit(self.account, zone_id, changes, comment)
        self.batches += 1
        self._forward(zone, fence, changes)
        for name in names:
            self._still_answers(name, before[name], zone.sets_at(name))
            self._hands_off(name, zone, changes)
        return done

    def _forward(
        self, zone: HostedZone, before: FenceRecord | None, changes: Sequence[Change]
    ) -> None:
        after = _fence(zone)
        if after is None or changes[0].record.name != _fence_name(zone):
            raise BrokenPromise(f"P1: a batch without the fence: {changes}")
        if before is None:
            return
        if after.token < before.token or after.nonce == before.nonce:
            raise BrokenPromise(f"P1: the fence went from {before} to {after}")
        if before.frozen is not None and after.writer in AZS:
            raise BrokenPromise(f"P9: {after.writer} wrote under the freeze {before.frozen}")

    def _still_answers(
        self,
        name: str,
        before: Mapping[tuple[str, str], StoredRecordSet],
        after: Mapping[tuple[str, str], StoredRecordSet],
    ) -> None:
        if name in self.ending or not any(kind in ANSWERS for kind, _ in before):
            return
        if not any(kind in ANSWERS for kind, _ in after):
            raise BrokenPromise(f"P2: {name} lost its last answer")

    def _hands_off(self, name: str, zone: HostedZone, changes: Sequence[Change]) -> None:
        for one in changes:
            if one.record.name == name == zone.name and one.record.type in APEX_TYPES:
                raise BrokenPromise(f"P6: {one.action} of {name} {one.record.type}")


def watch(account: Account) -> Watched:
    """Judge from now on whatever is sent to this account."""
    watched = Watched(account)
    account.submit = watched.submit  # type: ignore[method-assign]  # the one door of the stand-in
    return watched


def _fence(zone: HostedZone) -> FenceRecord | None:
    stored = zone.sets_at(_fence_name(zone)).get((FENCE_TYPE, ""))
    return None if stored is None else parse_fence(stored.values[0])


def _fence_name(zone: HostedZone) -> Name:
    return fence_name(parse_name(zone.name))
