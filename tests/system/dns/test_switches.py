"""While an enactor changes what kind of answer a name is, users get an answer to every question.

Three askers never pause: a UDP client and dig at the authoritative server, and a UDP client behind
a caching resolver. Each switch is one plan, sent by a real enactor cycle over real adapters.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import dns.asyncquery
import dns.message
import dns.rcode
import dns.rdatatype
import pytest

from dnsplan.names import parse_name
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    RecordSet,
    Routing,
    Weighted,
)
from enactor.rules.outcomes import Applied
from sandbox.dns.server import serve_dns
from sandbox.route53.model import Change
from tests.fakes.world import a
from tests.integration.aws_stage import AwsStage, aws_stage
from tests.integration.dns_clients import HOST, WAIT_S
from tests.system.dns.programs import dig, resolver

pytestmark = pytest.mark.system

WWW, NODES = "www.example.com.", "nodes.example.com."
TTL_S = 1  # so that the resolver comes back for each switch
KEPT = a(NODES, "192.0.2.9", ttl_s=TTL_S)

Ask = Callable[[], Awaitable[tuple[str, tuple[str, ...]]]]


@dataclass(frozen=True)
class Form:
    """One way to answer at www, told apart by its addresses."""

    title: str
    content: tuple[RecordSet, ...]
    addresses: frozenset[str]


@dataclass
class Asker:
    """Asks without pause and keeps what it got, by the form that was being switched to."""

    name: str
    ask: Ask
    got: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)

    async def run(self, scene: "Scene") -> None:
        """Until the scene is over."""
        while not scene.over.is_set():
            rcode, addresses = await self.ask()
            self.got.append((scene.title, rcode, addresses))
            await asyncio.sleep(0.002)

    def last(self) -> frozenset[str]:
        """The newest answer's addresses."""
        return frozenset(self.got[-1][2]) if self.got else frozenset()


@dataclass
class Scene:
    """Which switch is under way."""

    askers: tuple[Asker, ...]
    title: str = "the beginning"
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def unanswered(self) -> dict[str, list[tuple[str, str, tuple[str, ...]]]]:
        """Questions that failed or came back empty, by asker."""
        return {
            asker.name: [one for one in asker.got if one[1] != "NOERROR" or not one[2]]
            for asker in self.askers
        }

    async def seen_by_all(self, form: Form) -> None:
        """Wait until every asker's newest answer is the form's."""
        await self._until(
            lambda: all(one.last() and one.last() <= form.addresses for one in self.askers),
            f"{form.title} is seen by all",
        )

    async def missed_by(self, *askers: str) -> None:
        """Wait until each of these was left without an answer."""
        await self._until(
            lambda: all(self.unanswered()[name] for name in askers),
            f"{askers} are left without an answer",
        )

    async def _until(self, is_so: Callable[[], bool], what: str) -> None:
        loop = asyncio.get_running_loop()
        until_s = loop.time() + WAIT_S
        while not is_so():
            lasts = {one.name: sorted(one.last()) for one in self.askers}
            assert loop.time() < until_s, f"not yet: {what}; {lasts}"
            await asyncio.sleep(0.01)


def group(title: str, number: int, ids: str, *routings: Routing) -> Form:
    """A group of one member a routing; `ids` are one letter each."""
    addresses = [f"192.0.2.{number + place}" for place in range(len(routings))]
    content = tuple(
        RecordSet(parse_name(WWW), "A", TTL_S, (address,), set_id, routing)
        for address, set_id, routing in zip(addresses, ids, routings, strict=True)
    )
    return Form(title, content, frozenset(addresses))


def forms(zone_id: str) -> list[Form]:
    """Each form once more than its neighbours, so that every kind of switch is on the way."""
    simple = Form("addresses", (a(WWW, "192.0.2.1", ttl_s=TTL_S),), frozenset({"192.0.2.1"}))
    back = Form("other addresses", (a(WWW, "192.0.2.2", ttl_s=TTL_S),), frozenset({"192.0.2.2"}))
    name = parse_name(WWW)
    target = frozenset(KEPT.values)
    cname = Form("a CNAME", (RecordSet(name, "CNAME", TTL_S, (parse_name(NODES),)),), target)
    alias = Form(
        "an alias",
        (RecordSet(name, "A", None, (), alias=AliasTarget(zone_id, parse_name(NODES), False)),),
        target,
    )
    weighted = group("weights", 20, "ab", Weighted(1), Weighted(3))
    renamed = group("weights under other identifiers", 30, "cd", Weighted(1), Weighted(3))
    latency = group("latency", 40, "ab", Latency("us-east-1"), Latency("eu-west-1"))
    many = group("several values", 50, "ab", Multivalue(), Multivalue())
    failover = group("failover", 60, "ab", Failover("PRIMARY"), Failover("SECONDARY"))
    places = group("places", 70, "ab", Geolocation("EU", None, None), Geolocation(None, "*", None))
    return [
        simple,
        cname,
        back,
        alias,
        simple,
        weighted,
        renamed,
        latency,
        many,
        failover,
        places,
        alias,
        weighted,
        cname,
        many,
        back,
        cname,
        alias,
        cname,
        simple,
    ]


def over_udp(port: int) -> Ask:
    """A UDP client."""

    async def ask() -> tuple[str, tuple[str, ...]]:
        query = dns.message.make_query(WWW, "A")
        reply = await dns.asyncquery.udp(query, HOST, port=port, timeout=WAIT_S)
        addresses = tuple(
            rdata.to_text()
            for rrset in reply.answer
            if rrset.rdtype == dns.rdatatype.A
            for rdata in rrset
        )
        return dns.rcode.to_text(reply.rcode()), addresses

    return ask


def by_dig(port: int) -> Ask:
    """Debian's dig, a process a question."""

    async def ask() -> tuple[str, tuple[str, ...]]:
        text = await dig(port, "+noall", "+comments", "+answer", WWW, "A")
        rcode = text.partition("status: ")[2].partition(",")[0]
        lines = [line.split() for line in text.splitlines() if line and line[0] != ";"]
        return rcode, tuple(fields[4] for fields in lines if fields[3] == "A")

    return ask


@asynccontextmanager
async def asking(stage: AwsStage, folder: Path) -> AsyncIterator[Scene]:
    """A zone with its askers, who have ended when this ends."""
    async with (
        serve_dns(lambda: stage.stand_in.route53.zones.values()) as server,
        resolver(server.port, folder) as cached,
    ):
        scene = Scene(
            (
                Asker("udp", over_udp(server.port)),
                Asker("dig", by_dig(server.port)),
                Asker("resolver", over_udp(cached)),
            )
        )
        async with asyncio.TaskGroup() as running:
            for asker in scene.askers:
                running.create_task(asker.run(scene))
            try:
                yield scene
            finally:
                scene.over.set()


async def test_a_moment_without_an_answer_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What these askers would see of a switch in two batches: an empty answer, at the server."""
    async with aws_stage(monkeypatch) as stage:
        first, *_ = forms(stage.zone.zone_id)
        cycle = stage.az()
        await stage.publish(KEPT, *first.content)
        await stage.enact(cycle)
        route53, zone_id = stage.stand_in.route53, stage.zone.zone_id
        standing = route53.zone(zone_id).sets_at(WWW)["A", ""]
        async with asking(stage, tmp_path) as scene:
            await scene.seen_by_all(first)
            route53.submit(zone_id, [Change("DELETE", standing)])
            await scene.missed_by("udp", "dig")
            route53.submit(zone_id, [Change("CREATE", standing)])
        assert scene.unanswered()["udp"][0][2] == ()


async def test_no_switch_leaves_a_question_without_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A to CNAME and back, alias, policies, identifiers: asked all the time, answered each time."""
    async with aws_stage(monkeypatch) as stage:
        first, *others = forms(stage.zone.zone_id)
        cycle = stage.az()
        await stage.publish(KEPT, *first.content)
        assert isinstance(await stage.enact(cycle), Applied)
        await stage.settle(cycle)
        async with asking(stage, tmp_path) as scene:
            await scene.seen_by_all(first)
            for form in others:
                scene.title = f"{scene.title.rpartition(' to ')[2]} to {form.title}"
                await stage.publish(KEPT, *form.content)
                outcome = await stage.enact(cycle)
                assert isinstance(outcome, Applied), scene.title
                assert (outcome.batches, outcome.held) == (1, 0), scene.title
                await scene.seen_by_all(form)
                await stage.settle(cycle)
        assert scene.unanswered() == {"udp": [], "dig": [], "resolver": []}
        asked = {asker.name: {title for title, _, _ in asker.got} for asker in scene.askers}
        assert all(len(titles) == len(others) + 1 for titles in asked.values()), asked
