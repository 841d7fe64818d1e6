"""What one request asks: which service, operation and resource, by whose key. Reads, never judges.

A request that cannot be told is named "unknown"; it is still answered, by whoever routes it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec
from botocore.exceptions import UnknownServiceError
from moto.core.request import Request
from moto.core.routing import get_service_router
from werkzeug.exceptions import NotFound

CREDENTIAL = re.compile(r"Credential=([^/,\s]+)/[^/]*/([^/]*)/([^/]+)/aws4_request")
DYNAMODB_TARGET = "DynamoDB"
# Signing names that differ from the name of the service.
SIGNED_AS = {"monitoring": "cloudwatch", "elasticloadbalancing": "elbv2"}
ROUTE53_PATH = re.compile(r"/2013-04-01/(hostedzone|change)/([^/]+)(/rrset)?/?$")
ROUTE53_HOT = {
    ("POST", "hostedzone", "/rrset"): "ChangeResourceRecordSets",
    ("GET", "hostedzone", "/rrset"): "ListResourceRecordSets",
    ("GET", "hostedzone", None): "GetHostedZone",
    ("DELETE", "hostedzone", None): "DeleteHostedZone",
    ("GET", "change", None): "GetChange",
}
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it arrived, and what it asks."""

    method: str
    target: str  # path and query
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    service: str
    operation: str
    access_key: str
    region: str
    resources: tuple[str, ...]  # zone id, or table names

    @property
    def path(self) -> str:
        """Give the path, percent escapes kept."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """Give the query's parameters, the last of each name."""
        raw = self.target.partition("?")[2]
        return {key: found[-1] for key, found in parse_qs(raw, keep_blank_values=True).items()}


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back: status, headers, body, and the AWS error code if it is an error."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    error: str | None = None


def read_call(method: str, target: str, headers: Mapping[str, str], body: bytes) -> Call:
    """Tell what a request asks."""
    signed = CREDENTIAL.search(headers.get("authorization", "")) or CREDENTIAL.search(
        unquote(target.partition("?")[2]).replace("X-Amz-Credential", "Credential")
    )
    access_key, region, service = signed.groups() if signed else ("", "us-east-1", "")
    service = SIGNED_AS.get(service, service) or unsigned_service(target, headers)
    operation: str = ""
    resources: tuple[str, ...] = ()
    if service == "route53":
        operation, resources = route53_operation(method, target)
    elif service == "dynamodb":
        operation = headers.get("x-amz-target", "").rpartition(".")[2]
        resources = tables(body)
    operation = operation or other_operation(service, method, target, headers, body)
    return Call(method, target, headers, body, service, operation, access_key, region, resources)


def unsigned_service(target: str, headers: Mapping[str, str]) -> str:
    """Guess the service of a request that carries no signature."""
    if headers.get("x-amz-target", "").startswith(DYNAMODB_TARGET):
        return "dynamodb"
    if target.startswith("/2013-04-01/"):
        return "route53"
    host = headers.get("host", "").partition(".")[0]
    return host if host.isalnum() and not host.isdigit() and host != "localhost" else "unknown"


def route53_operation(method: str, target: str) -> tuple[str, tuple[str, ...]]:
    """Name the operation and zone of the common Route 53 requests."""
    match = ROUTE53_PATH.match(target.partition("?")[0])
    if match is None:
        return "", ()
    kind, resource, rrset = match.groups()
    operation = ROUTE53_HOT.get((method, kind, rrset), "")
    return operation, (resource,) if kind == "hostedzone" else ()


class _Tables(msgspec.Struct):
    """The places where a DynamoDB request names its tables."""

    TableName: str | None = None
    RequestItems: dict[str, msgspec.Raw] | None = None
    TransactItems: list[dict[str, "_TableName"]] | None = None


class _TableName(msgspec.Struct):
    TableName: str = ""


_decode_tables = msgspec.json.Decoder(_Tables).decode


def tables(body: bytes) -> tuple[str, ...]:
    """Name the tables that a DynamoDB request touches."""
    try:
        found = _decode_tables(body)
    except msgspec.DecodeError:
        return ()
    names = [found.TableName] if found.TableName else list(found.RequestItems or ())
    names += [part.TableName for item in found.TransactItems or () for part in item.values()]
    return tuple(dict.fromkeys(name.rpartition("/")[2] for name in names))


def other_operation(
    service: str, method: str, target: str, headers: Mapping[str, str], body: bytes
) -> str:
    """Name the operation of any other request: by header, by form, or by the service's routes."""
    if "x-amz-target" in headers:
        return headers["x-amz-target"].rpartition(".")[2]
    if headers.get("content-type", "").startswith(FORM):
        return parse_qs(body.decode("utf-8", "replace")).get("Action", ["unknown"])[0]
    asked = parse_qs(urlsplit(target).query).get("Action")
    if asked:
        return asked[0]
    return routed_operation(service, method, target.partition("?")[0], target)


@lru_cache(maxsize=1_024)
def routed_operation(service: str, method: str, path: str, target: str) -> str:
    """Look an operation up in the routes of the service's own model."""
    request = Request.from_primitives(method, f"http://localhost{target}", {}, b"")
    try:
        operation, _ = get_service_router(service).match(request)
    except (NotFound, NotImplementedError, UnknownServiceError):
        return f"{method} {path}"
    return str(operation.name)
