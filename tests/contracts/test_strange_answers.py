"""What comes back may be no answer of AWS's, or a refusal in another form: no daemon ends by it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from dnsplan.errors import ReadFailed
from dnsplan.names import parse_name
from dnsplan.notices import Change as NoticeChange
from dnsplan.notices import Notice
from dnsplan.outcomes import Refused, Unknown
from dnsplan.ports import Zone
from dnsplan.records import OtherPolicy, RecordSet
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.config.source_shape import LoadBalancersSource
from dnsplan.runtime.paging.ports import Undelivered
from dnsplan.runtime.paging.sns import SnsSink
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.zones import ZoneFinder
from dnsplan.transitions import freeze
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.quotas import Route53Quotas
from enactor.adapters.route53 import Route53Records
from enactor.rules.packing import Change, ChangeBatch
from planner.adapters.sources.balancers import TaggedBalancersSource
from tests.contracts.conftest import CLIENTS, TABLE, new_retrying
from tests.fakes.clock import FakeClock
from tests.unit.dnsplan.samples import FENCE, item

ZONE = Zone("shop", "Z1", parse_name("example.com."))
BATCH = ChangeBatch(FENCE, ())
WWW = parse_name("www.example.com.")
PORTAL = "<html><body>Please sign in</body></html>"
MALFORMED = (
    "<ErrorResponse><Error><Code>MalformedInput</Code><Message>odd</Message></Error>"
    "</ErrorResponse>"
)
SAME_PAGE = (
    "<ListResourceRecordSetsResponse><ResourceRecordSets/><IsTruncated>true</IsTruncated>"
    "<NextRecordName>www.example.com.</NextRecordName><NextRecordType>A</NextRecordType>"
    "<MaxItems>300</MaxItems></ListResourceRecordSetsResponse>"
)
OWN_ELEMENT = (
    '<?xml version="1.0"?><InvalidChangeBatch xmlns="https://route53.amazonaws.com/doc/2013-04-01/">'
    "<Messages><Message>Tried to make www.</Message><Message>and &lt;more&gt;</Message></Messages>"
    "<RequestId>r</RequestId></InvalidChangeBatch>"
)


@asynccontextmanager
async def answering(
    monkeypatch: pytest.MonkeyPatch, status: int, body: str
) -> AsyncIterator[Route53Records]:
    """The enactor's port, where whatever is asked is answered so."""

    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(status=status, text=body)

    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        bucket = TokenBucket(FakeClock(), BucketRate(per_s=1_000, burst=1_000, least_per_s=100))
        async with CLIENTS.open("route53") as client:
            yield Route53Records({"shop": client}, retrying=new_retrying(), bucket=bucket)
    finally:
        await runner.cleanup()


ASKED: dict[str, Callable[[Route53Records], Awaitable[object]]] = {
    "fence": lambda records: records.read_fence(ZONE),
    "page": lambda records: records.list_page(ZONE, None),
    "status": lambda records: records.change_status(ZONE, "/change/C1"),
}


@pytest.mark.parametrize("body", ["", PORTAL])
@pytest.mark.parametrize("what", sorted(ASKED))
async def test_a_page_of_somebody_else_is_no_answer_of_route_53(
    monkeypatch: pytest.MonkeyPatch, what: str, body: str
) -> None:
    """Nothing is absent because of it, and it is no fault of the program."""
    async with answering(monkeypatch, 200, body) as records:
        with pytest.raises(ReadFailed, match="is no answer"):
            await ASKED[what](records)


async def test_a_batch_that_is_answered_by_somebody_else_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether it landed is told by the fence alone."""
    async with answering(monkeypatch, 200, PORTAL) as records:
        assert isinstance(await records.submit(ZONE, BATCH), Unknown)


async def test_no_list_is_short_because_somebody_else_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither rows, nor items, nor zones, nor a zone's room."""
    zones = {"shop": ZoneEntry(name="example.com")}
    async with answering(monkeypatch, 200, PORTAL), CLIENTS.open("dynamodb") as table:
        archive = DynamoPlanArchive(table, TABLE, new_retrying())
        with pytest.raises(ReadFailed):
            await archive.rows("shop")
        with pytest.raises(ReadFailed):
            await DynamoGenerationTable(table, TABLE, new_retrying()).read(("shop", "cafe"))
        async with CLIENTS.open("route53") as client:
            with pytest.raises(ReadFailed):
                await ZoneFinder({"shop": client}, new_retrying()).find_all(zones)
            with pytest.raises(ReadFailed):
                await Route53Quotas({"shop": client}, retrying=new_retrying()).quota(ZONE)


async def test_a_list_that_does_not_go_on_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of what knows no set identifiers to start from: the same page for ever."""
    async with answering(monkeypatch, 200, SAME_PAGE) as records:
        with pytest.raises(ReadFailed, match="this one again"):
            await records.list_name(ZONE, parse_name("www.example.com"))


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (400, OWN_ELEMENT, "[Tried to make www., and <more>]"),
        (
            400,
            MALFORMED,
            "odd",
        ),
        (413, PORTAL, ""),
    ],
)
async def test_every_form_of_a_refusal_is_one(
    monkeypatch: pytest.MonkeyPatch, status: int, body: str, said: str
) -> None:
    """A batch that can never be taken is taken apart; as an unknown one it would be tried again
    unchanged for ever, with all that it carries."""
    async with answering(monkeypatch, status, body) as records:
        assert await records.submit(ZONE, BATCH) == Refused((said,))


@pytest.mark.parametrize(
    "odd",
    [
        RecordSet(WWW, "A", 60, ("192.0.2.1",), "a", OtherPolicy('{"Foo":1}')),
        RecordSet(WWW, "A", 60, ("192.0.2.1",), "a", OtherPolicy('{"CidrRoutingConfig":1}')),
    ],
    ids=["an unknown field", "a field of another kind"],
)
async def test_what_cannot_even_be_sent_is_refused(
    monkeypatch: pytest.MonkeyPatch, odd: RecordSet
) -> None:
    """Nothing took place, now and ever: its name is found and held, and its neighbours go on."""
    batch = ChangeBatch(FENCE, (Change("CREATE", odd),))
    async with answering(monkeypatch, 200, "") as records:
        outcome = await records.submit(ZONE, batch)
        assert isinstance(outcome, Refused)
        assert outcome.messages[0].startswith("record set www.example.com. A: a policy")


async def test_a_proxy_that_forbids_refuses_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says nothing about what the batch holds."""
    async with answering(monkeypatch, 403, PORTAL) as records:
        assert isinstance(await records.submit(ZONE, BATCH), Unknown)


NO_ANSWERS = ["", PORTAL, "null", "[]", '"ok"', '{"Item": {"pk"', '{"message": "fine"}']
ODD_ERRORS = ["null", "[]", '"bad gateway"', "<ErrorResponse><Error/></ErrorResponse>"]


@pytest.mark.parametrize("body", NO_ANSWERS)
async def test_an_item_is_not_absent_nor_written_because_somebody_else_answered(
    monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    """DynamoDB says both by an empty object, and by nothing else: else a freeze would be told as
    done that nobody wrote, and a zone as one that no plan was ever published for."""
    async with answering(monkeypatch, 200, body), CLIENTS.open("dynamodb") as client:
        table = DynamoGenerationTable(client, TABLE, new_retrying())
        with pytest.raises(ReadFailed, match="is no answer"):
            await table.read(("shop",))
        assert isinstance(await table.write(freeze(item(), "f1", nonce="mine")), Unknown)
        with pytest.raises(ReadFailed, match="is no answer"):
            await DynamoExceptionsLog(client, TABLE, retrying=new_retrying()).find(
                "shop", FENCE.generation, "n"
            )


@pytest.mark.parametrize("status", [400, 403, 502])
@pytest.mark.parametrize("body", ODD_ERRORS)
async def test_no_error_is_too_odd_to_be_one(
    monkeypatch: pytest.MonkeyPatch, status: int, body: str
) -> None:
    """What the SDK trips over is AWS's trouble, and no fault of the program."""
    async with answering(monkeypatch, status, body) as records:
        with pytest.raises(ReadFailed):
            await records.read_fence(ZONE)
        async with CLIENTS.open("dynamodb") as client:
            table = DynamoGenerationTable(client, TABLE, new_retrying())
            with pytest.raises(ReadFailed):
                await table.read(("shop",))


async def test_no_page_is_delivered_and_no_balancer_gone_because_somebody_else_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page waits for the next try; a list that was not read is no list without members."""
    topic = "arn:aws:sns:us-east-1:123456789012:oncall"
    notice = Notice("p", NoticeChange.PAGE, "title", "text", 0.0, {})
    async with answering(monkeypatch, 200, PORTAL):
        sink = SnsSink(CLIENTS, topic, timeout_s=5.0)
        assert isinstance(await sink.send(notice), Undelivered)
        stated = LoadBalancersSource(region="us-east-1", tags={"dns": "shop"})
        listing = await TaggedBalancersSource(stated, CLIENTS, new_retrying()).read()
        assert listing.problem is not None
