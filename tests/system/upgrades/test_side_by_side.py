"""Daemons of two releases side by side, as real processes over one table and one zone."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import boto3
import dns.message
import dns.query
import dns.rdatatype
import pytest

from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread
from sandbox.dns.server import serve_dns
from sandbox.run.environment import child_environment
from sandbox.run.ports import free_port
from tests.integration.sandbox_process import eventually
from tests.system.upgrades.release import ROOT, Place, Release, unpack_previous

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

AZS = ("use1-az1", "use1-az2", "use1-az3")
HOSTS = ("127.0.0.11", "127.0.0.12", "127.0.0.13")
NAMES = ("www.example.com.", "api.example.com.")
MOVES_WITHIN_S = 60.0
ASKED_EVERY_S = 0.02
TURNS_EVERY_S = 0.7
CONFIG = """
azs: [use1-az1, use1-az2, use1-az3]
account_requests_per_s: 900
planner: {{interval_s: 0.4, max_plans_per_min: 600}}
enactor: {{interval_s: 0.4, stagger_s: 0.3}}
zones:
  shop:
    name: example.com
    names:
      www: {{pool: web, ttl_s: 5}}
      api: {{pool: web, ttl_s: 5, routing: weighted}}
pools:
  web:
    targets:
      - {{id: a, address: 127.0.0.11}}
      - {{id: b, address: 127.0.0.12}}
      - {{id: c, address: 127.0.0.13}}
    health: {{tcp: {{port: {port}}}, interval_s: 0.5, timeout_s: 0.3, rise: 1, fall: 1}}
guardrails: {{min_targets: 1, max_removed_share: 1.0, window_s: 1}}
"""


class Client(threading.Thread):
    """Asks both names and the fence without a pause, and keeps what was wrong.

    After the first answer, a question without one is an empty answer, and a generation below one
    that was seen is a step back.
    """

    def __init__(self, address: str) -> None:
        """Nothing is asked yet."""
        super().__init__()
        host, _, port = address.rpartition(":")
        self._server = (host, int(port))
        self._ended = threading.Event()
        self.asked = 0
        self.empty: list[str] = []
        self.generations: list[int] = [0]
        self.answers: set[tuple[str, ...]] = set()

    def run(self) -> None:
        """Ask until told to end."""
        while not self._ended.wait(ASKED_EVERY_S):
            for name in NAMES:
                found = self._ask(name, "A")
                self.asked += 1
                if found:
                    self.answers.add(found)
                elif self.answers:
                    self.empty.append(f"{name} at question {self.asked}")
            fence = " ".join(self._ask("_dnsplan.example.com.", "TXT"))
            for digits in re.findall(r"generation=(\d+)", fence):
                if int(digits) != self.generations[-1]:
                    self.generations.append(int(digits))

    def end(self) -> None:
        """Stop asking."""
        self._ended.set()
        self.join()

    def _ask(self, name: str, kind: str) -> tuple[str, ...]:
        host, port = self._server
        reply = dns.query.udp(dns.message.make_query(name, kind), host, port=port, timeout=5)
        wanted = dns.rdatatype.from_text(kind)
        return tuple(
            sorted(
                rdata.to_text()
                for rrset in reply.answer
                if rrset.rdtype == wanted
                for rdata in rrset
            )
        )


class Load(threading.Thread):
    """Targets that turn ill and well in turn, so that plans never end; one is always well.

    Nothing is accepted: the kernel greets whoever probes, as far as the backlog reaches.
    """

    def __init__(self, port: int) -> None:
        """Nobody listens yet."""
        super().__init__()
        self._port = port
        self._ended = threading.Event()

    def run(self) -> None:
        """All are well at first; then the second and the third turn."""
        listening = {host: self._open(host) for host in HOSTS}
        turn = 0
        while not self._ended.wait(TURNS_EVERY_S):
            host = HOSTS[1 + turn % 2]
            turn += 1
            if (server := listening.pop(host, None)) is None:
                listening[host] = self._open(host)
            else:
                server.close()
        for server in listening.values():
            server.close()

    def end(self) -> None:
        """Stop turning."""
        self._ended.set()
        self.join()

    def _open(self, host: str) -> socket.socket:
        return socket.create_server((host, self._port), backlog=1024)


class Stage:
    """Three AZs over one stand-in, a client that asks, and targets that turn."""

    def __init__(self, aws: ThreadedStandIn, address: str, folder: Path) -> None:
        """Nothing runs yet."""
        self.aws = aws
        port = free_port(0)
        (folder / "dns.yaml").write_text(CONFIG.format(port=port))
        self.client = Client(address)
        self.load = Load(port)
        self.places = [Place(az, folder) for az in AZS]

    def environment(self, key: str) -> dict[str, str]:
        """What a release's daemons find: this stand-in, and a key of their own."""
        return child_environment({}, endpoint_url=self.aws.endpoint_url, access_key=key)

    def moves(self, *, steps: int = 1) -> None:
        """Wait until the zone has gone on by so many plans."""
        wanted = self.client.generations[-1] + steps
        eventually(
            lambda: self.client.generations[-1] >= wanted or None,
            f"generation {wanted} in the zone",
            MOVES_WITHIN_S,
        )


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A stand-in with an empty zone and its table's config."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with serve_in_thread() as aws:
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.endpoint_url)
        client = boto3.client("route53")
        client.create_hosted_zone(Name="example.com", CallerReference="1")
        client.close()
        zones = aws.call(lambda stand_in: stand_in.route53.zones)
        opened = AsyncExitStack()
        server = aws.run(opened.enter_async_context(serve_dns(lambda: zones.values())))
        made = Stage(aws, server.address, tmp_path)
        try:
            yield made
        finally:
            for place in made.places:
                place.kill()
            for thread in (made.load, made.client):
                if thread.is_alive():
                    thread.end()
            aws.run(opened.aclose())


def test_an_upgrade_and_a_downgrade_are_not_seen_by_clients(stage: Stage, tmp_path: Path) -> None:
    """AZ by AZ in the order of the page, under load: no empty answer, no step back, and every
    mixture of the two releases goes on by plans."""
    old = Release(unpack_previous(tmp_path / "previous"), stage.environment("old"))
    new = Release(ROOT, stage.environment("new"))
    init = old.start("dns-planner", "init", "--config", str(tmp_path / "dns.yaml"), folder=tmp_path)
    assert init.wait(60) == 0
    first, *_ = stage.places
    for place in stage.places:
        place.change("dns-enactor", old)
    first.change("dns-planner", old)
    stage.client.start()
    stage.load.start()
    stage.moves()
    for place in stage.places:
        place.change("dns-enactor", new)
        stage.moves()
    first.change("dns-planner", new)
    stage.moves()
    first.change("dns-planner", old)
    stage.moves()
    for place in stage.places:
        place.change("dns-enactor", old)
        stage.moves()
    for place in stage.places:
        place.stop()
    stage.client.end()
    client = stage.client
    assert client.empty == []
    assert client.generations == sorted(client.generations)
    assert client.asked > 100
    assert len(client.answers) > 2
