"""The JSON control API, as tests in other processes use it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from sandbox.aws.server import StandIn, serve
from sandbox.route53.marks import MARKS
from tests.contracts.aws.places import Zone, record, values
from tests.contracts.aws.talk import Json, Talk, talking


@pytest.fixture
async def aws() -> AsyncIterator[StandIn]:
    """Run a stand-in of the test's own."""
    async with serve() as running:
        yield running


@pytest.fixture
async def talk(aws: StandIn) -> AsyncIterator[Talk]:
    """Talk to it."""
    async with talking("aiobotocore", aws.endpoint_url, None) as open_talk:
        yield open_talk


class Remote:
    """The control API over HTTP."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def get(self, path: str) -> Json:
        """Ask for facts."""
        return await self.ask("GET", path)

    async def post(self, path: str, **body: Any) -> Json:
        """Ask for something to be done."""
        return await self.ask("POST", path, body)

    async def ask(self, method: str, path: str, body: Any = None, status: int = 200) -> Json:
        """Send one control request, and insist on its status."""
        async with self._session.request(method, f"/_sandbox/{path}", json=body) as answer:
            found: Json = await answer.json()
            assert (answer.status, found) == (status, found)
            return found


@pytest.fixture
async def remote(aws: StandIn) -> AsyncIterator[Remote]:
    """Reach its control API."""
    async with aiohttp.ClientSession(aws.endpoint_url) as session:
        yield Remote(session)


async def test_requests_are_counted_and_control_is_not(talk: Talk, remote: Remote) -> None:
    """By service, operation and key; with outcomes, and the latest requests in order."""
    zone = await Zone.make(talk)
    await zone.create(record(zone.at("a")))
    await zone.create(record(zone.at("a")))
    found = await remote.get("requests")
    key = "AKIATESTTESTTESTTEST"
    change = {"service": "route53", "operation": "ChangeResourceRecordSets"}
    made = {"service": "route53", "operation": "CreateHostedZone"}
    assert found["total"] == 3
    assert found["counts"] == [
        {**change, "access_key": key, "count": 2},
        {**made, "access_key": key, "count": 1},
    ]
    assert found["outcomes"] == [
        {**change, "outcome": "InvalidChangeBatch", "count": 1},
        {**change, "outcome": "ok", "count": 1},
        {**made, "outcome": "ok", "count": 1},
    ]
    assert [one["resources"] for one in found["recent"]] == [[], [zone.id], [zone.id]]
    await remote.post("reset-counters")
    assert (await remote.get("requests"))["total"] == 0


async def test_a_held_request_is_watched_and_released(talk: Talk, remote: Remote) -> None:
    """Waiting first, then done, with the answer it got."""
    zone = await Zone.make(talk)
    armed = await remote.post("faults", kind="hold_request", resource=zone.id)
    sending = asyncio.create_task(zone.create(record(zone.at("a"))))
    path = f"faults/{armed['id']}"
    strikes: list[Json] = []
    while not strikes:  # each turn is a request of its own, so this yields
        strikes = (await remote.get(path))["strikes"]
    assert (strikes[0]["progress"], strikes[0]["answer"]) == ("waiting", None)
    assert await remote.post(f"{path}/release") == {"released": 1}
    assert await sending == ""
    shown = (await remote.get(path))["strikes"][0]
    assert (shown["progress"], shown["answer"]["status"]) == ("done", 200)
    assert "<ChangeInfo>" in shown["answer"]["body"]
    await remote.ask("DELETE", path)
    await remote.ask("GET", path, status=404)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"kind": "throttle"}, "Throttling"),
        ({"kind": "prior_request"}, "PriorRequestNotComplete"),
        ({"kind": "refuse", "code": "Oops", "message": "<&>", "status": 503}, "Oops"),
    ],
)
async def test_errors_are_armed_by_kind(talk: Talk, remote: Remote, body: Json, code: str) -> None:
    """Each kind, applied or not, so many times."""
    zone = await Zone.make(talk)
    where = {"operation": "ChangeResourceRecordSets", "access_key": "AKIATESTTESTTESTTEST"}
    await remote.ask("POST", "faults", {**body, **where, "times": 2, "applied": True})
    answers = [await zone.upsert(record(zone.at(f"n{n}"))) for n in range(3)]
    assert [answer.partition(":")[0] for answer in answers] == [code, code, ""]
    assert len(await zone.held()) == 3
    await remote.ask("DELETE", "faults")
    assert (await remote.get("faults"))["faults"] == []


async def test_settings_change_while_it_runs(talk: Talk, remote: Remote) -> None:
    """Only what is given changes; null lifts the rate."""
    shown = await remote.post("settings", rate_per_s=0.001, insync_after_s=60)
    assert (shown["route53"]["rate_per_s"], shown["route53"]["insync_after_s"]) == (0.001, 60)
    shown = await remote.post("settings", rate_per_s=None, switches={"list_order_matters": False})
    assert shown == await remote.get("settings")
    assert (shown["route53"]["rate_per_s"], shown["route53"]["insync_after_s"]) == (None, 60)
    assert shown["route53"]["switches"]["list_order_matters"] is False
    zone = await Zone.make(talk)
    info = await zone.submit(("CREATE", record(zone.at("a"))))
    found = await talk.ask("route53", "get_change", Id=info["Id"])
    assert found["ChangeInfo"]["Status"] == "PENDING"


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("settings", {"rate": 5}, "unknown field `rate`"),
        ("settings", {"rate_per_s": "5"}, "rate_per_s"),
        ("settings", {"switches": {"nope": True}}, "list_order_matters"),
        ("faults", {"kind": "explode"}, "explode"),
        ("faults", {"kind": "delay", "serivce": "x"}, "unknown field `serivce`"),
        ("route53/forget", {"zone": "ZNOPE", "last": 1}, "ZNOPE"),
        ("route53/load", {"zone": "Z", "count": 10**9}, "Z"),
    ],
)
async def test_a_mistake_is_named(remote: Remote, path: str, body: Json, words: str) -> None:
    """An unknown key or a bad value is a 400 that says what was wrong."""
    assert words in (await remote.ask("POST", path, body, status=400))["error"]
    await remote.ask("GET", "nowhere", status=404)
    await remote.ask("POST", "faults/9/release", {}, status=404)
    await remote.ask("POST", "dynamodb/restore", {"snapshot": 0}, status=404)
    await remote.ask("POST", "dynamodb/snapshot", {"table": "none"}, status=404)


async def test_away_and_back(aws: StandIn, talk: Talk, remote: Remote) -> None:
    """Away, only the control API answers."""
    await remote.post("away")
    with pytest.raises(Exception, match="Connection was closed"):
        await Zone.make(talk)
    assert (await remote.get("faults"))["away"] is True
    await remote.post("back")
    await Zone.make(talk)
    await remote.post("away", for_s=0.0)
    await asyncio.gather(*aws._absences)
    await Zone.make(talk)


async def test_a_zone_is_loaded_and_forgets(talk: Talk, remote: Remote) -> None:
    """Loading is no accepted change; forgetting takes accepted changes back."""
    zone = await Zone.make(talk)
    made = {"name": zone.at("*"), "type": "TXT", "ttl": 60, "values": ['"x"']}
    alias = {"name": zone.at("al"), "type": "A", "alias": [zone.id, zone.at("h000000"), False]}
    geo = {
        "name": zone.at("g"),
        "type": "A",
        "ttl": 60,
        "values": ["192.0.2.1"],
        "set_id": "g",
        "geo": [None, "*", None],
    }
    loaded = await remote.post("route53/load", zone=zone.id, records=[made, alias, geo], count=300)
    assert loaded == {"loaded": 303, "records": 305}
    await zone.create(record(zone.at("a")))
    await zone.create(record(zone.at("b")))
    assert await remote.post("route53/forget", zone=zone.id, last=1) == {"lost": 1}
    assert await remote.post("route53/forget", zone=zone.id, last=9) == {"lost": 1}
    shown = (await remote.get("route53/zones"))["zones"]
    expected = {"id": zone.id, "name": zone.name, "private": False, "records": 305}
    assert shown == [expected]
    page = await zone.page(StartRecordName=zone.at("*"), MaxItems="1")
    assert values(page["ResourceRecordSets"]) == ['"x"']


async def test_the_rules_are_told(remote: Remote) -> None:
    """Every rule with how it is known."""
    assert [one["id"] for one in (await remote.get("rules"))["rules"]] == [one.id for one in MARKS]
