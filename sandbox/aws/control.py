"""The JSON control API under /_sandbox/: what tests in other processes use to watch and to hurt.

Its requests are never counted, throttled or struck by a fault. A mistake in one is a 400 that says
what was wrong.
"""

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

from sandbox.aws import control_bodies as bodies
from sandbox.aws.faults import Armed, Strike
from sandbox.route53.marks import MARKS
from sandbox.route53.refusals import Refusal

if TYPE_CHECKING:
    from sandbox.aws.server import StandIn

Handler = Callable[[re.Match[str], bytes], Awaitable[object]]
ANSWER_CHARS_MAX = 2_000


class Control:
    """The control API of one stand-in."""

    def __init__(self, stand_in: "StandIn") -> None:
        self._stand_in = stand_in
        self._routes: list[tuple[str, re.Pattern[str], Handler]] = [
            (method, re.compile(f"/_sandbox/{pattern}$"), handler)
            for method, pattern, handler in (
                ("GET", "requests", self.requests),
                ("POST", "reset-counters", self.reset_counters),
                ("GET", "faults", self.list_faults),
                ("POST", "faults", self.arm),
                ("DELETE", "faults", self.clear_faults),
                ("GET", r"faults/(\d+)", self.show_fault),
                ("DELETE", r"faults/(\d+)", self.disarm),
                ("POST", r"faults/(\d+)/release", self.release),
                ("GET", "settings", self.show_settings),
                ("POST", "settings", self.change_settings),
                ("POST", "away", self.away),
                ("POST", "back", self.back),
                ("GET", "rules", self.rules),
                ("GET", "route53/zones", self.zones),
                ("POST", "route53/forget", self.forget),
                ("POST", "route53/load", self.load),
                ("POST", "dynamodb/snapshot", self.snapshot),
                ("POST", "dynamodb/restore", self.restore),
            )
        ]

    async def answer(self, request: web.Request, body: bytes) -> web.Response:
        """Answer one control request."""
        for method, pattern, handler in self._routes:
            match = pattern.match(request.path)
            if match is not None and method == request.method:
                return await self._run(handler, match, body)
        return reply({"error": f"no such control: {request.method} {request.path}"}, 404)

    async def _run(self, handler: Handler, match: re.Match[str], body: bytes) -> web.Response:
        try:
            return reply(await handler(match, body))
        except (msgspec.DecodeError, ValueError, Refusal) as bad:
            return reply({"error": str(bad)}, 400)
        except LookupError as missing:
            return reply({"error": f"not found: {missing}"}, 404)

    async def requests(self, _match: re.Match[str], _body: bytes) -> object:
        ledger = self._stand_in.ledger
        return {
            "total": ledger.total,
            "counts": [
                {"service": service, "operation": operation, "access_key": key, "count": count}
                for (service, operation, key), count in sorted(ledger.requests.items())
            ],
            "outcomes": [
                {"service": service, "operation": operation, "outcome": outcome, "count": count}
                for (service, operation, outcome), count in sorted(ledger.outcomes.items())
            ],
            "recent": list(ledger.recent),
        }

    async def reset_counters(self, _match: re.Match[str], _body: bytes) -> object:
        self._stand_in.ledger.reset()
        return {}

    async def list_faults(self, _match: re.Match[str], _body: bytes) -> object:
        faults = self._stand_in.faults
        return {"away": faults.away, "faults": [shown(one) for one in faults.armed.values()]}

    async def arm(self, _match: re.Match[str], body: bytes) -> object:
        asked = bodies.decode(bodies.ArmBody, body)
        return {"id": self._stand_in.faults.arm(asked.fault(), asked.place()).id}

    async def clear_faults(self, _match: re.Match[str], _body: bytes) -> object:
        self._stand_in.faults.clear()
        return {}

    async def show_fault(self, match: re.Match[str], _body: bytes) -> object:
        return shown(self._stand_in.faults.armed[int(match[1])])

    async def disarm(self, match: re.Match[str], _body: bytes) -> object:
        self._stand_in.faults.disarm(int(match[1]))
        return {}

    async def release(self, match: re.Match[str], _body: bytes) -> object:
        return {"released": self._stand_in.faults.release(int(match[1]))}

    async def show_settings(self, _match: re.Match[str], _body: bytes) -> object:
        return self._stand_in.settings

    async def change_settings(self, _match: re.Match[str], body: bytes) -> object:
        bodies.decode(bodies.SettingsBody, body).apply(self._stand_in.settings)
        return self._stand_in.settings

    async def away(self, _match: re.Match[str], body: bytes) -> object:
        asked = bodies.decode(bodies.AwayBody, body or b"{}")
        if asked.for_s is None:
            self._stand_in.faults.away = True
        else:
            self._stand_in.go_away_for(asked.for_s)
        return {}

    async def back(self, _match: re.Match[str], _body: bytes) -> object:
        await self._stand_in.come_back()
        return {}

    async def rules(self, _match: re.Match[str], _body: bytes) -> object:
        return {"rules": list(MARKS)}

    async def zones(self, _match: re.Match[str], _body: bytes) -> object:
        return {
            "zones": [
                {"id": zone.id, "name": zone.name, "private": zone.private, "records": len(zone)}
                for zone in self._stand_in.route53.zones.values()
            ]
        }

    async def forget(self, _match: re.Match[str], body: bytes) -> object:
        asked = bodies.decode(bodies.ForgetBody, body)
        return {"lost": self._stand_in.route53.forget_last(asked.zone, asked.last)}

    async def load(self, _match: re.Match[str], body: bytes) -> object:
        asked = bodies.decode(bodies.LoadBody, body)
        account = self._stand_in.route53
        zone = account.zone(asked.zone)
        loaded = account.load(zone.id, asked.all_records(zone.name))
        return {"loaded": loaded, "records": len(zone)}

    async def snapshot(self, _match: re.Match[str], body: bytes) -> object:
        asked = bodies.decode(bodies.SnapshotBody, body)
        return {
            "snapshot": self._stand_in.backend.dynamodb(asked.region).take_snapshot(asked.table)
        }

    async def restore(self, _match: re.Match[str], body: bytes) -> object:
        asked = bodies.decode(bodies.RestoreBody, body)
        backend = self._stand_in.backend.dynamodb(asked.region)
        return {"table_id": backend.restore_snapshot(asked.snapshot, asked.table)}


def shown(armed: Armed) -> dict[str, Any]:
    """Show a fault and the requests it struck."""
    return {
        "id": armed.id,
        "kind": bodies.kind_of(armed.fault),
        "where": armed.where,
        "seen": armed.seen,
        "strikes": [shown_strike(one) for one in armed.strikes],
    }


def shown_strike(strike: Strike) -> dict[str, Any]:
    """Show one struck request, and what it was answered once it acted."""
    answer = strike.answer
    return {
        "id": strike.id,
        "service": strike.call.service,
        "operation": strike.call.operation,
        "access_key": strike.call.access_key,
        "progress": strike.progress,
        "answer": answer
        and {
            "status": answer.status,
            "error": answer.error,
            "body": answer.body.decode("utf-8", "replace")[:ANSWER_CHARS_MAX],
        },
    }


def reply(content: object, status: int = 200) -> web.Response:
    """Write a JSON answer."""
    return web.Response(
        body=msgspec.json.encode(content), status=status, content_type="application/json"
    )
