"""Every decoder with good input to start from, and the errors that it may answer bad input with.

What a target raises besides is a crash. Each takes bytes as they would come from outside: from the
table, from Route 53, from a name server, from a file.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import dns.message
import msgspec
import zstandard
from msgspec import structs

from dnsplan.codec import Envelope, digest_of, encode, from_chunks, seal, to_chunks, unseal
from dnsplan.errors import ConfigError, DnsplanError
from dnsplan.fence import parse_fence
from dnsplan.formats.planfile import plan_file, read_plan_file, write_plan_file
from dnsplan.names import parse_name
from dnsplan.plan import PlanId
from dnsplan.ports import PlanRow
from dnsplan.runtime.archive_items import joined, row_from
from dnsplan.runtime.config import load
from dnsplan.runtime.config.server_address import parse_server
from dnsplan.runtime.route53_forms import record_set_from_aws, record_set_to_aws
from dnsplan.runtime.table import item_from
from dnsplan.signing import judged, signed
from dnsplan.text import unquote
from dnsplan.vouch import (
    OPERATORS,
    PUBLIC,
    InvalidKey,
    Keyring,
    ListedKey,
    Role,
    Signer,
    key_from,
    key_text,
    public_of,
    vouch_from,
)
from enactor.adapters.exceptions import _row
from enactor.rules.exceptions import ExceptionsRow
from planner.adapters.vantage_board import _unpacked
from planner.rules.document import listing_of
from planner.rules.vantage import Report
from sandbox.dns.packets import respond
from sentinel.adapters.messages import Unreadable, answers_question, is_truncated, read_reply
from tests.fakes.world import a
from tests.unit.dnsplan.samples import plan as sample_plan
from tests.unit.sandbox_dns.exchange import QUERY, authority, send

Run = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Target:
    """One decoder. `weight`: its part of the cases, since a config costs a hundred fences."""

    name: str
    run: Run
    seeds: tuple[bytes, ...]
    answers: tuple[type[Exception], ...] = (DnsplanError,)
    weight: int = 100


PLAN = sample_plan(
    content=(a("api.example.com", "192.0.2.2"), a("www.example.com", "192.0.2.1", "192.0.2.3"))
)
ROW = PlanRow(
    plan_id=PlanId(PLAN.label, PLAN.generation, digest_of(b"")),
    created_s=1,
    author="a",
    reason="r",
    base=PLAN.base,
    chunks=1,
    record_sets=2,
)
NOTE = ExceptionsRow(PLAN.label, PLAN.generation, "ab", ())
REPORT = Report("use1-az1", 1_790_000_000, ())
FENCE = (
    b'"dnsplan/1 generation=140 step=3/7 base=131 held=0"'
    b' "owner=00ff writer=use1-az2 nonce=0123 digest=ab"'
)
ITEM = json.dumps(
    {
        "pk": {"S": "gen#shop"},
        "sk": {"S": "000000000140#ab#0000"},
        "owner": {"S": "o"},
        "incarnation": {"S": "i"},
        "nonce": {"S": "n"},
        "head": {"N": "3"},
        "head_digest": {"S": "d"},
        "claimed": {"N": "3"},
        "applied": {"N": "2"},
        "last_known_good": {"N": "2"},
        "floor": {"N": "1"},
        "pin": {"N": "3"},
        "row": {"S": msgspec.json.encode(ROW).decode()},
        "deleted_s": {"N": "1"},
        "deleted_by": {"S": "x"},
        "chunks": {"N": "1"},
        "key_id": {"S": "k"},
        "body": {"B": "x"},
        "signature": {"B": "y"},
    }
).encode()
CONFIG = b"""azs: [use1-az1]
defaults: {ttl_s: 30}
zones:
  shop:
    name: example.com
    names:
      "@": {pool: web, records: [{type: MX, ttl_s: 300, values: ["10 mail.example.com."]}]}
      www: {records: [{type: CNAME, ttl_s: 300, values: [api.example.com.]}]}
      txt: {records: [{type: TXT, values: ["v=spf1 -all"]}]}
pools: {web: {targets: [{id: a, address: 192.0.2.10}], health: {tcp: {port: 443}}}}
"""
BIND = b"""$ORIGIN example.com.
$TTL 300
@ IN SOA ns1 h 1 7200 900 1209600 60
www IN A 192.0.2.1
mail 60 IN MX 10 mx.example.net.
t IN TXT "a;b" ( "c" )
"""
SIGNER = Signer("planner-1", Role.PLANNER, b"p" * 32)
KEYRING = Keyring({"planner-1": ListedKey(Role.PLANNER, public_of(SIGNER.secret))})
SIGNED = signed(seal(PLAN), SIGNER)
KEY = key_text(PUBLIC, public_of(SIGNER.secret)).encode()
OCTODNS = b"""'': {type: A, ttl: 60, values: [192.0.2.1]}
www: {type: CNAME, value: api.example.com.}
mx: [{type: MX, values: [{exchange: mx.example.net., preference: 10}]}]
"""
DOCUMENT = b'{"targets": [{"id": "a", "address": "192.0.2.1"}, {"id": "b", "address": "::1"}]}'


@contextmanager
def targets() -> Iterator[tuple[Target, ...]]:
    """All of them; the configs among them are files of a folder that goes again."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        place = Path(folder)
        body = encode(PLAN)
        packed = to_chunks(body)
        listed = record_set_to_aws(PLAN.content[0])
        yield (
            Target("plan", _plan, (body,)),
            Target("plan chunks", _chunks, packed),
            Target("plan file", _plan_file, (_written(),), weight=20),
            Target("signature of a plan", _signature, (SIGNED.signature,)),
            Target("signature of a word", _word, (f"change-1:{'ab' * 64}".encode(),)),
            Target("key", lambda data: key_from(_text(data), PUBLIC), (KEY,), (InvalidKey,)),
            Target("fence", lambda data: parse_fence(_text(data)), (FENCE,)),
            Target("generation item", partial(_item, item_from), (ITEM,)),
            Target("plan row", partial(_item, row_from), (ITEM,)),
            Target("chunk items", partial(_item, _joined), (ITEM,)),
            Target("note of held names", _note, (_zipped(msgspec.json.encode(NOTE)),)),
            Target("what planners find", _unpacked, (_zipped(msgspec.msgpack.encode(REPORT)),)),
            Target("record set of AWS", _listed, (json.dumps(listed).encode(),)),
            Target("name", lambda data: parse_name(_text(data)), (b"www.example.com.", b"\\052.a")),
            Target("text", lambda data: unquote(_text(data)), (b'"a\\"b" "c"', b"plain")),
            Target("reply of a name server", _reply, (send(QUERY).wire, QUERY), (Unreadable,), 200),
            Target("question to the sandbox", _question, (QUERY, send(QUERY).wire), (), 60),
            Target("address of a server", _address, (b"127.0.0.1:53", b"[::1]:53"), (ValueError,)),
            Target("targets of a source", listing_of, (DOCUMENT,), ()),
            Target("config", partial(_config, place), (CONFIG,), (ConfigError,), 8),
            Target("BIND file", partial(_records, place, "z.db"), (BIND,), (ConfigError,), 6),
            Target(
                "octoDNS file", partial(_records, place, "z.yaml"), (OCTODNS,), (ConfigError,), 2
            ),
        )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _plan(body: bytes) -> object:
    return unseal(Envelope(PlanId(PLAN.label, PLAN.generation, digest_of(body)), body))


def _chunks(data: bytes) -> object:
    return from_chunks((data[:100], data[100:]))


def _written() -> bytes:
    return write_plan_file(plan_file(PLAN, seal(PLAN).plan_id.digest)).encode()


def _plan_file(data: bytes) -> object:
    return read_plan_file(data.decode("utf-8", "replace"), "plan.json")


def _signature(data: bytes) -> object:
    """Of all that is not the signature itself nothing is vouched for."""
    found = judged(structs.replace(SIGNED, signature=data), KEYRING)
    if found.doubt is None and data != SIGNED.signature:
        raise AssertionError("another signature was taken for the signer's")
    return found


def _word(data: bytes) -> object:
    vouch = vouch_from(_text(data))
    if KEYRING.doubt(vouch, b"pin", OPERATORS) is None:
        raise AssertionError("a word that nobody signed was taken for an operator's")
    return vouch


def _zipped(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def _note(data: bytes) -> object:
    return _row({"body": {"B": data}})


def _item(read: Callable[[Mapping[str, Any]], object], data: bytes) -> object:
    """An item whose attributes have kinds, as the SDK gives them: the rest may be anything."""
    try:
        stated = json.loads(data)
    except (ValueError, RecursionError):
        return None  # the SDK's to refuse
    if not isinstance(stated, dict):
        return None
    item: dict[str, Mapping[str, object]] = {}
    for key, value in stated.items():
        pairs = [_kind(pair) for pair in value.items()] if isinstance(value, dict) else [None]
        known = [pair for pair in pairs if pair is not None]
        if len(known) == len(pairs):
            item[key] = dict(known)
    return read(item)


def _kind(pair: tuple[str, object]) -> tuple[str, object] | None:
    match pair:
        case (("S" | "N"), str()):
            return pair
        case "B", str(text):
            return "B", text.encode("utf-8", "surrogatepass")
        case _:
            return None


def _joined(item: Mapping[str, Any]) -> object:
    return joined(PlanId(PLAN.label, PLAN.generation, digest_of(b"")), [item])


def _listed(data: bytes) -> object:
    """A record set with the kinds of fields that the SDK's model gives it."""
    try:
        stated = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(stated, dict) or not isinstance(stated.get("TTL", 1), int):
        return None
    texts = all(isinstance(stated.get(key), str) for key in ("Name", "Type"))
    values = stated.get("ResourceRecords", [])
    if not texts or not isinstance(values, list) or set(stated) - LISTED_FIELDS:
        return None
    if not all(isinstance(one, dict) and isinstance(one.get("Value"), str) for one in values):
        return None
    return record_set_from_aws(stated)


LISTED_FIELDS = {"Name", "Type", "TTL", "ResourceRecords"}


def _reply(data: bytes) -> object:
    query = QUERY
    if answers_question(data, query):
        is_truncated(data)
    return read_reply.__wrapped__(data[2:])


def _question(data: bytes) -> object:
    found = respond(data, transport="udp", authority=authority())
    wire = getattr(found, "wire", None)
    if wire is not None and len(wire) >= 12:
        dns.message.from_wire(wire)
    return found


def _address(data: bytes) -> object:
    return parse_server(_text(data))


def _config(folder: Path, data: bytes) -> object:
    file = folder / "dns.yaml"
    file.write_bytes(data)
    return load(file, {})


def _records(folder: Path, name: str, data: bytes) -> object:
    (folder / name).write_bytes(data)
    zone = f"{{name: example.com, records_from: [{name}]}}"
    file = folder / "records.yaml"
    file.write_text(f"azs: [use1-az1]\nzones: {{shop: {zone}}}\n")
    return load(file, {})
