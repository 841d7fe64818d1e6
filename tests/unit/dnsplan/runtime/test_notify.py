"""Words to systemd, when it listens and when nobody does."""

import asyncio
import socket
from pathlib import Path

from dnsplan import exits
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.lifecycle import run_daemon
from dnsplan.runtime.notify import ServiceManager
from dnsplan.runtime.periodic import Periodic, Stop

NOBODY = ServiceManager({})


async def test_words_to_systemd(tmp_path: Path) -> None:
    """Ready, alive, stopping: in this order, at the address that systemd gave."""
    address = f"{tmp_path}/notify"
    heard: list[bytes] = []

    class Listener(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: object) -> None:
            assert addr is None or addr == ""
            heard.append(data)

    loop = asyncio.get_running_loop()
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    channel.bind(address)
    channel.setblocking(False)
    transport, _ = await loop.create_datagram_endpoint(Listener, sock=channel)
    manager = ServiceManager({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "20000"})
    stop = Stop()

    async def work() -> None:
        if heard.count(b"WATCHDOG=1") > 3:
            stop.request()

    works = [Periodic("work", 0.01, work)]
    code = await asyncio.wait_for(
        run_daemon(works, clock=SystemClock(), jitter=SystemJitter(), stop=stop, manager=manager),
        timeout=20,
    )
    await asyncio.sleep(0.05)
    transport.close()
    assert code == exits.FINE
    assert (heard[0], heard[-1]) == (b"READY=1", b"STOPPING=1")
    assert set(heard[1:-1]) == {b"WATCHDOG=1"}


class Counting(ServiceManager):
    """A manager that wants to hear often, and counts."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        super().__init__({"WATCHDOG_USEC": "20000"})
        self.beats: asyncio.Queue[str] = asyncio.Queue()

    def alive(self) -> bool:
        """Count."""
        self.beats.put_nowait("alive")
        return True


async def test_works_that_begin_anew_go_on_being_alive() -> None:
    """The last pass of a config that is given up may take its whole grace, as long as systemd's
    patience: a process that goes on is not killed for it."""
    manager, stop = Counting(), Stop()

    async def work() -> None:
        stop.request_anew()
        async with asyncio.timeout(10):
            for _ in range(manager.beats.qsize() + 3):
                await manager.beats.get()

    works = [Periodic("work", 0.01, work)]
    code = await asyncio.wait_for(
        run_daemon(works, clock=SystemClock(), jitter=SystemJitter(), stop=stop, manager=manager),
        timeout=20,
    )
    assert code == exits.FINE


def test_without_systemd_nothing_is_said() -> None:
    """No address, a dead one, or a watchdog that is no number harm nothing."""
    assert (NOBODY.ready(), NOBODY.watchdog_every_s) == (False, None)
    dead = ServiceManager({"NOTIFY_SOCKET": "/nowhere/notify", "WATCHDOG_USEC": "soon"})
    assert (dead.ready(), dead.alive(), dead.stopping()) == (False, False, False)
    assert dead.watchdog_every_s is None
    assert ServiceManager({"WATCHDOG_USEC": "30000000"}).watchdog_every_s == 15.0
