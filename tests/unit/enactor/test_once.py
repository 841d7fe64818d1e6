"""`dns-enactor once`: one cycle a zone, waited for, told in a line with a fitting exit code."""

import json
from collections.abc import Mapping, Sequence

from dnsplan import exits
from dnsplan.errors import ReadFailed
from dnsplan.generation import GenerationItem
from dnsplan.names import parse_name
from dnsplan.records import RecordSet
from enactor.once import Once
from tests.fakes.table import FakeTable
from tests.fakes.world import World, a
from tests.unit.enactor.test_audit import many


async def once(world: World, *, as_json: bool = False) -> tuple[int, list[str]]:
    """Exit code and lines of a process of its own."""
    shown: list[str] = []
    command = Once(world.az(), world.table, world.clock, shown.append)
    return await command.run({"shop": world.task}, as_json=as_json), shown


async def test_it_tells_how_many_batches_it_sent_and_that_they_are_in_sync() -> None:
    """The confirmation comes later, and takes nothing from what was told of the sending."""
    world = World()
    await world.publish(a("www.example.com", "192.0.2.1"))
    assert await once(world) == (exits.FINE, ["shop: generation 1 applied in 1 batch, in sync"])
    await world.publish(a("www.example.com", "192.0.2.1"), *many(1200))
    code, (line,) = await once(world, as_json=True)
    facts = json.loads(line)
    assert (code, facts["batches"], facts["confirmed"]) == (exits.FINE, 2, True)
    assert await once(world) == (exits.FINE, ["shop: in sync at generation 2"])


async def test_a_hold_says_what_to_run() -> None:
    """Nothing was sent on purpose: 3, the rule, and the next command."""
    world = World()
    world.route53.edit(world.zone, ("CREATE", a("www.example.com", "203.0.113.66")))
    await world.publish(a("www.example.com", "192.0.2.1"))
    code, (line,) = await once(world)
    assert code == exits.REFUSED
    assert line.startswith("shop: held (fence_missing): ")
    assert line.endswith("next: dns-runbook adopt shop; page: runbooks/adopt.md")


async def test_names_that_are_held_are_named_each_time_and_exit_with_three() -> None:
    """Whether this run held them or an earlier one did: a name that does not hold its plan is no
    success, and the second run must not hide it."""
    world = World()
    bad = RecordSet(parse_name("bad.example.com"), "MX", 60, ("99999 mail.example.com.",))
    await world.publish(a("www.example.com", "192.0.2.1"), bad)
    code, (line,) = await once(world)
    first, note = line.split("\n")
    assert code == exits.REFUSED
    assert first.startswith("shop: generation 1 applied in ")
    assert first.endswith("in sync, but 1 name held; next: dns-runbook explain shop")
    assert note.startswith("  bad.example.com. held: ")
    again = "shop: in sync at generation 1, but 1 name held; next: dns-runbook explain shop"
    assert await once(world) == (exits.REFUSED, [f"{again}\n{note}"])
    code, (line,) = await once(world, as_json=True)
    facts = json.loads(line)
    assert (code, facts["held"], facts["notes"]) == (exits.REFUSED, 1, [note.strip()])


class Throttled(FakeTable):
    """A table that cannot be read twice in a row."""

    failures = 2

    async def read(self, labels: Sequence[str]) -> Mapping[str, GenerationItem]:
        """Throttle first."""
        if self.failures:
            self.failures -= 1
            raise ReadFailed("ProvisionedThroughputExceededException")
        return await super().read(labels)


async def test_a_table_that_is_throttled_meanwhile_ends_no_run() -> None:
    """What was accepted is waited for all the same, and the zones after it get their turn."""
    world = World()
    await world.publish(a("www.example.com", "192.0.2.1"))
    table = Throttled(world.table.id)
    table.items = world.table.items
    shown: list[str] = []
    command = Once(world.az(), table, world.clock, shown.append)
    assert await command.run({"shop": world.task}, as_json=False) == exits.FINE
    assert shown == ["shop: generation 1 applied in 1 batch, in sync"]
