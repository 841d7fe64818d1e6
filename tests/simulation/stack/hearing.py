"""Hears at the backends what takes effect there, and tells the judge.

It reads requests as they arrive and items as they stand, with the stand-in's own readers; what a
process believes it did is never asked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.ports import Zone
from sandbox.aws.call import Answer, Call
from sandbox.aws.route53_wire import read_batch
from tests.simulation.cloud import Cloud, Judge
from tests.simulation.processes import Process
from tests.simulation.seen import FENCE

BATCH = "ChangeResourceRecordSets"
ITEM_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem"})


@dataclass(slots=True)
class Hearing:
    """Between the network and the backends. `zones` are by zone id."""

    cloud: Cloud
    judge: Judge
    zones: Mapping[str, Zone]

    def sent(self, process: Process, call: Call) -> None:
        """A request leaves a process."""
        if call.operation == BATCH:
            self.judge.sent(process, self.zones[call.resources[0]], "submit")
        elif is_fence_read(call):
            self.judge.sent(process, self.zones[call.resources[0]], "read fence")

    def unanswered(self, process: Process, call: Call) -> None:
        """A request's sender cannot know what became of it."""
        if call.operation == BATCH:
            self.judge.unanswered(process, self.zones[call.resources[0]])

    def effects(self, process: Process, call: Call, act: Callable[[Call], Answer]) -> Answer:
        """Let a request act, and tell what it did."""
        if call.operation == BATCH:
            return self._batch(process, call, act)
        if call.operation in ITEM_WRITES:
            return self._item_write(process, call, act)
        return act(call)

    def _batch(self, process: Process, call: Call, act: Callable[[Call], Answer]) -> Answer:
        zone = self.zones[call.resources[0]]
        answer = act(call)
        if answer.error is None:
            self.judge.landed(process, zone, read_batch(call.body)[1])
        return answer

    def _item_write(self, process: Process, call: Call, act: Callable[[Call], Answer]) -> Answer:
        asked: dict[str, Any] = msgspec.json.decode(call.body)
        key = asked.get("Key") or asked["Item"]
        kind, _, label = key["pk"]["S"].partition("#")
        cloud, what = self.cloud, (kind, call.operation)
        before = cloud.table.items.get(label) if kind == "gen" else None
        standing = what == ("plan", "DeleteItem") and plan_of(label, key) in cloud.archive.bodies
        answer = act(call)
        if answer.error is not None:
            return answer
        if kind == "gen":
            self.judge.wrote(before, cloud.table.items[label], process)
        elif what == ("row", "PutItem"):
            self.judge.stored(cloud.archive.bodies[plan_of(label, key)])
        elif standing:
            self.judge.deleted([plan_of(label, key)], label, process)
        return answer


def is_fence_read(call: Call) -> bool:
    """Whether a request asks for a zone's fence alone."""
    if call.operation != "ListResourceRecordSets":
        return False
    query = call.query
    return query.get("name", "").startswith(f"{FENCE}.") and query.get("maxitems") == "1"


def plan_of(label: str, key: Mapping[str, Any]) -> PlanId:
    """The plan that a chunk or a row belongs to."""
    generation, digest, *_ = key["sk"]["S"].split("#")
    return PlanId(label, Generation(int(generation)), Digest(digest))
