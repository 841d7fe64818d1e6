"""The stand-in's backends as acts and judge look at them: outside of any request."""

from contextlib import ExitStack
from dataclasses import dataclass, field

from dnsplan.names import Name
from dnsplan.ports import Zone
from sandbox.aws.backend import Backend
from sandbox.aws.call import read_call
from sandbox.aws.in_process import InProcessStandIn
from sandbox.route53.account import Account
from tests.simulation.cloud import Targets
from tests.simulation.stack.raw_items import Items
from tests.simulation.stack.stored import Archive, ItemsByLabel, Notes, TableItems


@dataclass(frozen=True, slots=True)
class Zones:
    """`tests.simulation.cloud.ZonesThere`. `made` are by zone id."""

    backend: Backend
    made: dict[str, Zone] = field(default_factory=dict)

    @property
    def account(self) -> Account:
        """The rules and the zones themselves."""
        return self.backend.route53

    def make_zone(self, label: str, name: str) -> Zone:
        """A hosted zone that moto knows too."""
        stated = f"<Name>{name}</Name><CallerReference>{label}</CallerReference>"
        body = f"<CreateHostedZoneRequest>{stated}</CreateHostedZoneRequest>"
        headers = {"host": "route53.amazonaws.com"}
        before = set(self.account.zones)
        answer = self.backend.answer(
            read_call("POST", "/2013-04-01/hostedzone", headers, body.encode())
        )
        if answer.error is not None:
            raise AssertionError(answer.body)
        (zone_id,) = set(self.account.zones) - before
        self.made[zone_id] = Zone(label, zone_id, Name(self.account.zones[zone_id].name))
        return self.made[zone_id]


class StackCloud:
    """`tests.simulation.cloud.Cloud` of one stand-in."""

    def __init__(self, aws: InProcessStandIn, limits: ExitStack) -> None:
        """With an empty table and no zone; `limits` are undone when all is over."""
        self._aws = aws
        self._limits = limits
        self._raw = raw = Items(aws.backend)
        raw.make()
        self.route53 = Zones(aws.backend)
        self.table = TableItems(raw, ItemsByLabel(raw))
        self.archive = Archive(raw)
        self.exceptions = Notes(raw)
        self.targets = Targets()

    def copied(self) -> object:
        """A copy of the table."""
        return self._raw.copied()

    def answer_with(self, copy: object) -> object:
        """Let a copy answer for the table."""
        return self._raw.answer_with(copy)

    def close(self) -> None:
        """Take the account out of moto, and let limits be AWS's again."""
        self._limits.close()
        self._aws.close()
