"""Answer one call, at once and alone: our hot Route 53, our moto classes, or all the rest of moto.

Nothing here awaits, so a call is atomic and two calls never race. Each stand-in has an account id
of its own in moto's process-wide state; two in one process do not see each other.
"""

import itertools
import re
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from moto.core.base_backend import BackendDict
from moto.core.model_instances import model_data
from moto.core.request import Request
from moto.dynamodb.models import dynamodb_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.exceptions import HTTPException
from werkzeug.test import run_wsgi_app

from sandbox.aws import dynamodb_calls, moto_dynamodb, moto_route53
from sandbox.aws.call import Answer, Call
from sandbox.aws.protocol_errors import error_answer
from sandbox.aws.route53_hot import HotRoute53
from sandbox.aws.settings import Chance, StandInSettings
from sandbox.route53.account import Account

CAUSE_CHARS_MAX = 400
MOTO_OWN_API = "/moto-api"  # it would reset what every stand-in of the process holds
ACCOUNT_HEADER = "x-moto-account-id"
ERROR_CODE = re.compile(rb"<Code>([^<]+)</Code>|\"__type\":\s*\"(?:[^\"#]*#)?([^\"]+)\"")
# Account ids are twelve digits; these are no one's.
_account_ids = map("2000000{:05d}".format, itertools.count(1))


class Unrouted(DomainDispatcherApplication):
    """moto's own dispatcher, silent about what it does not know."""

    def get_backend_for_host(self, host: str | None) -> Any:
        """Find the service for a host name, or nothing; moto prints where it finds none."""
        if host is None or host in ("moto_api", "instance_metadata"):
            return host
        for backend, pattern in self.backend_url_patterns:
            if pattern.match(f"http://{host}"):
                return backend
        return None


class Backend:
    """Every AWS service of one account."""

    def __init__(self, settings: StandInSettings, chance: Chance) -> None:
        track_no_instances()
        self.account_id = next(_account_ids)
        self.route53 = Account(
            clock=chance.clock,
            wall=chance.wall,
            settings=settings.route53,
            make_zone_id=chance.zone_id,
        )
        moto_route53.plug_in(self.account_id, self.route53)
        fresh = moto_dynamodb.Fresh(chance.clock, lambda: uuid.UUID(chance.hex32()))
        moto_dynamodb.plug_in(self.account_id, fresh, settings.dynamodb)
        self._hot = HotRoute53(self.route53, lambda: str(uuid.UUID(chance.hex32())))
        self._rest = Unrouted(create_backend_app)

    def answer(self, call: Call) -> Answer:
        """Answer one call; where moto fails or lacks something, with an error that names it."""
        if call.service == "route53" and self._hot.answers(call):
            return self._hot.answer(call)
        if call.path.startswith(MOTO_OWN_API):
            return error_answer(call.service, "NotFound", "moto's own API is not served", 404)
        try:
            status, headers, body = self._moto(call)
        except NotImplementedError as missing:
            return error_answer(call.service, "NotImplemented", str(missing), 501)
        except Exception as broken:  # noqa: BLE001 - whatever moto raises, the client gets an answer
            return internal_failure(call, broken)
        return Answer(status, headers, body, error_code(status, body))

    def dynamodb(self, region: str) -> moto_dynamodb.StrictBackend:
        """Give the DynamoDB of one region."""
        found = dynamodb_backends[self.account_id][region]
        if not isinstance(found, moto_dynamodb.StrictBackend):
            raise TypeError(region)
        return found

    def close(self) -> None:
        """Take this account out of moto's process-wide state."""
        for backends in list(vars(BackendDict)["_instances"]):  # moto offers no other list
            backends.pop(self.account_id, None)

    def _moto(self, call: Call) -> tuple[int, dict[str, str], bytes]:
        headers = {**call.headers, ACCOUNT_HEADER: self.account_id}
        host = call.headers.get("host", "localhost")
        request = Request.from_primitives(
            call.method, f"http://{host}{call.target}", headers, call.body
        )
        handler = HANDLERS.get(call.service)
        if handler is None:
            request.environ["RAW_URI"] = call.target
            return self._wsgi(request.environ)
        try:
            status, given, body = handler(request, request.raw_url, request.headers)
        except HTTPException as refused:
            status, given, body = (
                refused.code or 500,
                dict(refused.get_headers()),
                refused.get_body(),
            )
        return int(status), sendable(given), body if isinstance(body, bytes) else body.encode()

    def _wsgi(self, environ: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        chunks, status, headers = run_wsgi_app(self._rest, environ, buffered=True)
        return int(status.split()[0]), sendable(dict(headers)), b"".join(chunks)


HANDLERS: dict[str, Callable[..., Any]] = {
    "route53": moto_route53.StrictResponse.dispatch,
    "dynamodb": dynamodb_calls.StrictHandler.dispatch,
}


def sendable(headers: Mapping[str, Any]) -> dict[str, str]:
    """Leave out what the server sets itself, and moto's own marks."""
    own = ("content-length", "date", "server", "status", "connection", "transfer-encoding")
    return {key: str(value) for key, value in headers.items() if key.lower() not in own}


def error_code(status: int, body: bytes) -> str | None:
    """Read the AWS error code of an error answer."""
    if status < 400:
        return None
    found = ERROR_CODE.search(body)
    return (found[1] or found[2]).decode() if found else f"HTTP{status}"


def internal_failure(call: Call, broken: Exception) -> Answer:
    """Answer for moto where it failed, naming what it said."""
    code = "InternalServerError" if call.service == "dynamodb" else "InternalFailure"
    said = f"{type(broken).__name__}: {broken}"[:CAUSE_CHARS_MAX]
    return error_answer(call.service, code, said, 500)


def track_no_instances() -> None:
    """Keep moto from holding every item that ever was, for a page that we do not serve."""
    for service in ("dynamodb", "route53", "aws"):
        for model in model_data[service].values():
            vars_of: Any = model
            vars_of.instances_tracked = deque(maxlen=0)
