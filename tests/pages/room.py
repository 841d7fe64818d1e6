"""A small world in this process: the AWS stand-in and a DNS server behind a thread, targets that
listen on loopback, a folder with dns.yaml, and the daemons' own passes on demand.

Everything between a command and Route 53 is the product's own. Only long waits are short: an
enactor's clock goes on by itself when it sleeps.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

from botocore.loaders import JSONFileLoader

from dnsplan.runtime.config.schema import ZoneEntry
from sandbox.aws.faults import Refuse, Where
from sandbox.aws.server import StandIn
from sandbox.route53.model import Change, StoredRecordSet
from sandbox.route53.zone import HostedZone
from sandbox.run.world import World, open_world
from tests.pages.enacting import enact
from tests.pages.terminal import Printed, at, type_in
from tests.pages.watching import Watched, watch

AZS = ("use1-az1", "use1-az2", "use1-az3")
LABEL, ZONE = "shop", "example.com."
WITHIN_S = 60.0
TRIES_MAX = 5
TARGETS = {
    f"{pool}{n}": f"127.0.0.{30 + at + n}"
    for pool, at in (("a", 0), ("b", 4))
    for n in (1, 2, 3, 4)
}
ADDRESSES = ["127.0.0.1", *TARGETS.values()]
AWAY = Refuse("ServiceUnavailable", "down", status=503)
Result = TypeVar("Result")

HEADER = """\
azs: [{azs}]
account_requests_per_s: 900
state_dir: {folder}
planner: {{max_plans_per_min: 600}}
enactor: {{interval_s: 0.1, fence_check_s: 4, stagger_s: 1}}
cleanup: {{keep: 20, min_age_s: 86400, interval_s: 600}}
sentinel: {{name_servers: ['{server}']}}
"""
WEB = "www: {pool: web, ttl_s: 30}"
POOL = """\
pools:
  web:
    targets: [{targets}]
    health: {{tcp: {{port: {port}}}, interval_s: 0.1, timeout_s: 0.09}}
"""


@dataclass(slots=True)
class Room:
    """One page's world. `listening` are the targets that answer, `more` is what dns.yaml has
    beside zones and pools."""

    world: World
    loop: asyncio.AbstractEventLoop
    folder: Path
    watched: Watched
    port: int
    listening: dict[str, socket.socket] = field(default_factory=dict)
    more: str = ""

    @property
    def name_server(self) -> str:
        """Where the zone's own server listens."""
        return self.world.public.address

    @property
    def zone(self) -> HostedZone:
        """The hosted zone as it stands."""
        return self.world.stand_in.route53.zone(self.world.zone_ids[LABEL])

    # What a page's reader does.

    def type_in(self, command: str, answer: str = "") -> Printed:
        """Type a command."""
        return type_in(command, answer=answer, name_server=self.name_server)

    def must(self, command: str, code: int = 0) -> Printed:
        """A command that comes before or between the page's own."""
        printed = self.type_in(command)
        assert printed.code == code, (command, printed)
        return printed

    def config(self, *names: str, azs: Sequence[str] = AZS, drained: Collection[str] = ()) -> None:
        """Write dns.yaml: names as YAML lines; `drained` are targets without capacity."""
        header = HEADER.format(azs=", ".join(azs), folder=self.folder, server=self.name_server)
        lines = [f"zones:\n  {LABEL}:\n    name: {ZONE.rstrip('.')}", "    names:"]
        lines += [f"      {name}" for name in names]
        pool = self._pool(drained) if any("pool:" in name for name in names) else ""
        text = header + "\n".join(lines) + "\n" + pool + self.more
        (self.folder / "dns.yaml").write_text(text)

    def _pool(self, drained: Collection[str]) -> str:
        targets = ", ".join(
            f"{{id: {one}, address: {where}, az: use1-az{1 if one[0] == 'a' else 2},"
            f" capacity: {0 if one in drained else 100}}}"
            for one, where in TARGETS.items()
        )
        return POOL.format(targets=targets, port=self.port)

    # What the daemons do.

    def publish(self) -> None:
        """One pass of the planner, which has something to publish."""
        self.must("dns-planner plan --publish")

    def enact(self, *azs: str) -> None:
        """Passes of the enactors, until nothing more comes of them."""
        asyncio.run(enact(self.folder / "dns.yaml", azs or AZS))

    def go_on(self) -> None:
        """Planner and enactors, once."""
        self.publish()
        self.enact()

    def go_on_until(self, answering: int) -> None:
        """The same until so many targets answer: a machine that is busy may be late with a probe,
        and what was asked too late is no word about a target."""
        for _ in range(TRIES_MAX):
            self.go_on()
            found = len(self.zone.sets_at(f"www.{ZONE}"))
            if found == answering:
                return
        raise AssertionError(f"{found} targets answer after {TRIES_MAX} passes, not {answering}")

    # What goes wrong.

    def stop(self, *targets: str) -> None:
        """These targets refuse connections."""
        for one in targets:
            self.listening.pop(one).close()

    def stop_all(self) -> None:
        """At the end."""
        self.stop(*tuple(self.listening))

    def start(self, *targets: str) -> None:
        """These targets answer."""
        for one in targets:
            self.listening[one] = socket.create_server((TARGETS[one], self.port), backlog=128)

    def by_hand(self, *changes: Change) -> None:
        """Somebody changes the zone beside the fence."""
        self.backstage(lambda _: self.watched.by_hand(changes))

    def backstage(self, action: Callable[[StandIn], Result]) -> Result:
        """Do something to the stand-in, on its own loop."""

        async def act() -> Result:
            return action(self.world.stand_in)

        return _on(self.loop, act())

    @contextmanager
    def away(self, service: str) -> Iterator[None]:
        """A service of AWS answers nothing but errors."""
        armed = self.backstage(
            lambda stand_in: stand_in.faults.arm(AWAY, Where(service=service, times=None))
        )
        try:
            yield
        finally:
            self.backstage(lambda stand_in: stand_in.faults.disarm(armed.id))


def a(name: str, *values: str, ttl: int = 60) -> StoredRecordSet:
    """A simple A record set as a console makes it."""
    return StoredRecordSet(f"{name}.{ZONE}", "A", ttl, values)


@contextmanager
def open_room(folder: Path) -> Iterator[Room]:
    """A room with an empty zone, a table, and all targets listening."""
    with ExitStack() as stack:
        stack.enter_context(_read_once())
        loop = stack.enter_context(_backstage())
        opened = open_world()
        world = _on(loop, opened.__aenter__())
        stack.callback(lambda: _on(loop, opened.__aexit__(None, None, None)))
        _on(loop, world.make_zones([(LABEL, ZoneEntry(name=ZONE))]))
        port, sockets = _listen(list(TARGETS))
        watched = _on(loop, _watch(world))
        room = Room(world, loop, folder, watched, port, sockets)
        stack.callback(room.stop_all)
        stack.enter_context(at(folder, USER="ann", AWS_ENDPOINT_URL=world.stand_in.endpoint_url))
        room.config("www: {records: [{type: A, values: [192.0.2.10]}]}")
        room.must("dns-planner init")
        yield room


async def _watch(world: World) -> Watched:
    return watch(world.stand_in.gate.backend, LABEL, world.zone_ids[LABEL])


def _listen(targets: Sequence[str]) -> tuple[int, dict[str, socket.socket]]:
    """Listen on every target's address, on one port that is free on all of them."""
    for _ in range(100):
        held: dict[str, socket.socket] = {}
        port = 0
        try:
            for one in targets:
                held[one] = socket.create_server((TARGETS[one], port), backlog=128)
                port = held[one].getsockname()[1]
        except OSError:
            for listener in held.values():
                listener.close()
            continue
        return port, held
    raise OSError("no port is free on all targets")


@contextmanager
def _read_once() -> Iterator[None]:
    """Each command opens clients of its own, as a process does; the SDK's data files, half of what
    a command costs, are parsed once for all of them."""
    before, one = JSONFileLoader.load_file, JSONFileLoader()
    read = cache(lambda path: before(one, path))
    with mock.patch.object(JSONFileLoader, "load_file", lambda _self, path: read(path)):
        yield


@contextmanager
def _backstage() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="backstage")
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def _on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Result]) -> Result:
    return asyncio.run_coroutine_threadsafe(work, loop).result(WITHIN_S)
