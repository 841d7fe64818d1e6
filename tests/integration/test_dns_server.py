"""The DNS server on real sockets: views, faults, damage, start and end, the way from the API."""

import asyncio
import socket

import aiobotocore.session
import dns.asyncquery
import dns.flags
import dns.message
import dns.rcode
import pytest

from sandbox.aws.server import serve
from sandbox.dns.server import DnsSettings, serve_dns
from sandbox.route53.model import AliasTo, StoredRecordSet
from sandbox.route53.zone import HostedZone
from tests.integration.dns_clients import (
    APEX,
    HOST,
    SHORT_S,
    WAIT_S,
    WWW,
    address,
    closing,
    connected,
    hear,
    over_tcp,
    over_udp,
    put,
    say,
    serving,
    soon,
    values,
    zone,
)


async def test_udp_and_tcp_answer_on_one_port() -> None:
    """Both say the same, on the address that the server names."""
    async with serving(zone(address("192.0.2.1"))) as server:
        assert server.address == f"{HOST}:{server.port}"
        assert values(await over_udp(server, WWW)) == ["192.0.2.1"]
        assert values(await over_tcp(server, WWW)) == ["192.0.2.1"]
        assert server.counts.replies == {"NOERROR": 2}


async def test_a_change_of_the_zone_is_answered_at_once() -> None:
    """Nothing is kept between two questions."""
    held = zone(address("192.0.2.1"))
    async with serving(held) as server:
        put(held, address("192.0.2.2"))
        assert values(await over_udp(server, WWW)) == ["192.0.2.2"]
        held.commit({WWW: {}})
        assert (await over_udp(server, WWW)).rcode() == dns.rcode.NXDOMAIN


async def test_a_zone_made_later_is_served() -> None:
    """The zones themselves are looked up afresh for each question."""
    zones: list[HostedZone] = []
    async with serve_dns(lambda: zones) as server:
        assert (await over_udp(server, WWW)).rcode() == dns.rcode.REFUSED
        zones.append(zone(address("192.0.2.1")))
        assert values(await over_udp(server, WWW)) == ["192.0.2.1"]


async def test_what_is_cut_off_over_udp_is_whole_over_tcp() -> None:
    """TC sends a client to TCP, and dnspython goes there as resolvers do."""
    many = StoredRecordSet(WWW, "A", 60, tuple(f"10.0.{n // 200}.{n % 200}" for n in range(400)))
    async with serving(zone(many)) as server:
        query = dns.message.make_query(WWW, "A")
        cut = await dns.asyncquery.udp(query, HOST, port=server.port, timeout=WAIT_S)
        assert (cut.flags & dns.flags.TC, cut.answer) == (dns.flags.TC, [])
        whole, was_tcp = await dns.asyncquery.udp_with_fallback(
            query, HOST, port=server.port, timeout=WAIT_S
        )
        assert (was_tcp, len(whole.answer[0])) == (True, 400)


async def test_each_view_has_a_port_of_its_own() -> None:
    """One name, one set of zones, two answers."""
    zones = zone(address("192.0.2.1")), zone(address("10.0.0.1"), private=True)
    async with serving(*zones) as public, serving(*zones, view="private") as private:
        assert public.port != private.port
        assert values(await over_udp(public, WWW)) == ["192.0.2.1"]
        assert values(await over_udp(private, WWW)) == ["10.0.0.1"]


async def test_aliases_outside_and_health_come_from_the_settings() -> None:
    """A load balancer's name is spelled as in the API; a sick branch is left."""
    pair = [
        StoredRecordSet(
            WWW,
            "A",
            set_id="a",
            failover="PRIMARY",
            health_check_id="sick",
            ttl=60,
            values=("192.0.2.1",),
        ),
        StoredRecordSet(
            WWW,
            "A",
            set_id="b",
            failover="SECONDARY",
            alias=AliasTo("ZELB", "lb-1.elb.amazonaws.com.", evaluate=False),
        ),
    ]
    settings = DnsSettings(
        outside={("LB-1.elb.amazonaws.com", "A"): ("198.51.100.1",)},
        is_healthy=lambda check: check != "sick",
    )
    async with serving(zone(*pair), settings=settings) as server:
        assert values(await over_udp(server, WWW)) == ["198.51.100.1"]


async def test_with_nothing_known_every_health_check_is_healthy() -> None:
    """The primary answers, although nobody has looked after it."""
    pair = [
        StoredRecordSet(
            WWW, "A", 60, (value,), set_id=role, failover=role, health_check_id=f"check-{role}"
        )
        for role, value in (("PRIMARY", "192.0.2.1"), ("SECONDARY", "192.0.2.2"))
    ]
    async with serving(zone(*pair)) as server:
        assert values(await over_udp(server, WWW)) == ["192.0.2.1"]


async def test_many_questions_at_once_each_get_their_own_answer() -> None:
    """Replies find their question by id and port, whatever the order."""
    names = [f"n{at}.example.com." for at in range(200)]
    held = zone(*(address(f"10.0.0.{at}", name) for at, name in enumerate(names)))
    async with serving(held) as server:
        replies = await soon(asyncio.gather(*(over_udp(server, name) for name in names)))
        assert [values(one) for one in replies] == [[f"10.0.0.{at}"] for at in range(200)]


async def test_damage_is_answered_or_dropped_and_the_server_goes_on() -> None:
    """Junk over UDP and TCP, then a good question on the same sockets."""
    loop = asyncio.get_running_loop()
    good = dns.message.make_query(WWW, "A").to_wire()
    async with serving(zone(address("192.0.2.1"))) as server:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.setblocking(False)
            await loop.sock_connect(client, (HOST, server.port))
            for junk in (b"", b"x", b"\0" * 11, b"\xff" * 100):  # no header, or a reply
                await loop.sock_sendall(client, junk)
            await loop.sock_sendall(client, b"\x12\x34" + b"\0" * 10)
            reply = await soon(loop.sock_recv(client, 512))
            assert reply == b"\x12\x34\x80\x01" + b"\0" * 8
            await loop.sock_sendall(client, good)
            found = dns.message.from_wire(await soon(loop.sock_recv(client, 512)))
            assert values(found) == ["192.0.2.1"]
        async with connected(server) as (reader, writer):
            writer.write(b"\0\0" + b"\0\x03abc" + len(good).to_bytes(2) + good)
            assert values(await hear(reader)) == ["192.0.2.1"]
        assert server.counts.dropped == {"short": 5, "not_a_query": 1}
        assert server.counts.troubles == {"damaged": 1}


async def test_faults_reach_the_wire_and_end() -> None:
    """Empty, failing, lame and silent, then true again."""
    async with serving(zone(address("192.0.2.1"))) as server:
        server.faults.empty(WWW)
        found = await over_udp(server, WWW)
        assert (found.rcode(), found.answer) == (dns.rcode.NOERROR, [])
        server.faults.servfail(WWW)
        assert (await over_udp(server, WWW)).rcode() == dns.rcode.SERVFAIL
        server.faults.refuse(APEX, below=True)
        server.faults.clear(WWW)
        assert (await over_tcp(server, WWW)).rcode() == dns.rcode.REFUSED
        server.faults.clear()
        server.faults.silence(WWW)
        with pytest.raises(dns.exception.Timeout):
            await dns.asyncquery.udp(
                dns.message.make_query(WWW, "A"), HOST, port=server.port, timeout=SHORT_S
            )
        assert server.counts.dropped == {"silenced": 1}
        server.faults.clear()
        assert values(await over_udp(server, WWW)) == ["192.0.2.1"]


async def test_a_record_set_that_cannot_be_read_is_counted() -> None:
    """SERVFAIL for that answer, and the value is there for people to see."""
    async with serving(zone(address("not an address"), address("192.0.2.2", APEX))) as server:
        assert (await over_udp(server, WWW)).rcode() == dns.rcode.SERVFAIL
        assert values(await over_udp(server, APEX)) == ["192.0.2.2"]
        assert server.counts.troubles == {"bad_rdata": 1}
        assert "not an address" in server.counts.last_trouble


async def test_a_defect_is_an_answer_of_its_own() -> None:
    """Even a mistake of ours fails one question only, and is counted as what it is."""

    def broken() -> list[HostedZone]:
        raise RuntimeError("zones are gone")

    async with serve_dns(broken) as server:
        assert (await over_udp(server, WWW)).rcode() == dns.rcode.SERVFAIL
        assert (await over_tcp(server, WWW)).rcode() == dns.rcode.SERVFAIL
        assert server.counts.troubles == {"defect": 2}
        assert "zones are gone" in server.counts.last_trouble


async def test_the_port_is_free_after_the_end_also_with_clients_connected() -> None:
    """Everything is closed when the block ends: the same port can be served again at once."""
    held = zone(address("192.0.2.1"))
    patient = DnsSettings(idle_timeout_s=10 * WAIT_S)  # so that nobody leaves by himself
    async with asyncio.timeout(WAIT_S), serving(held, settings=patient) as server:
        port = server.port
        idle = await soon(asyncio.open_connection(HOST, port))
        busy = await soon(asyncio.open_connection(HOST, port))
        await say(busy[1], WWW)
        await hear(busy[0])
    for reader, writer in (idle, busy):
        assert await soon(closing(reader)) == b""
        writer.close()
    async with serve_dns(lambda: [held], port=port) as again:
        assert values(await over_udp(again, WWW)) == ["192.0.2.1"]


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM])
async def test_a_port_that_is_taken_is_an_error(kind: socket.SocketKind) -> None:
    """A port that was asked for by number is that port or none, and nothing is left open."""
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind((HOST, 0))
        if kind is socket.SOCK_STREAM:
            taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            async with serve_dns(list, port=port):
                pytest.fail("it served on a port that another holds")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
async def test_it_never_listens_off_loopback(host: str) -> None:
    """The stand-in is for this machine alone."""
    with pytest.raises(ValueError, match="loopback only"):
        async with serve_dns(list, host=host):
            pytest.fail("it listens to the world")


async def test_ipv6_loopback_is_served() -> None:
    """The address is written as people write it."""
    async with serve_dns(lambda: [zone(address("192.0.2.1"))], host="::1") as server:
        assert server.address == f"[::1]:{server.port}"
        assert values(await over_udp(server, WWW)) == ["192.0.2.1"]
        assert values(await over_tcp(server, WWW)) == ["192.0.2.1"]


async def test_a_change_made_through_the_api_is_what_dns_answers() -> None:
    """The whole way: an SDK's change batch, the stand-in's zone, an answer over UDP."""
    async with (
        serve() as stand_in,
        serve_dns(lambda: stand_in.route53.zones.values()) as server,
        aiobotocore.session.get_session().create_client(
            "route53", endpoint_url=stand_in.endpoint_url
        ) as route53,
    ):
        made = await route53.create_hosted_zone(Name="example.com", CallerReference="one")
        await route53.change_resource_record_sets(
            HostedZoneId=made["HostedZone"]["Id"],
            ChangeBatch={
                "Changes": [
                    {
                        "Action": "CREATE",
                        "ResourceRecordSet": {
                            "Name": "*.API.example.com",
                            "Type": "TXT",
                            "TTL": 60,
                            "ResourceRecords": [{"Value": r'"tab\011 quote\""'}],
                        },
                    }
                ]
            },
        )
        found = await over_udp(server, "x.api.example.com", "TXT")
        assert found.answer[0][0].to_wire() == b'\x0btab\t quote"'
        assert (await over_udp(server, "nope.example.com")).rcode() == dns.rcode.NXDOMAIN
        soa = (await over_udp(server, "example.com", "SOA")).answer[0]
        assert soa.ttl == 900
