"""Targets from ELBv2: load balancers by name, ARN or tag, with the health that they report.

Reads only. One that is not there is absent from a complete listing; one whose targets could not be
asked for is left out of an incomplete one, so that it stays as it was known. What AWS throttles is
asked again within the retry layer's bounds and then left for the next read.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from dnsplan.errors import DnsplanError
from dnsplan.runtime.aws_errors import AWS_TROUBLE, code_of, in_words
from dnsplan.runtime.config.schema import LoadBalancer, Target
from dnsplan.runtime.config.source_shape import LoadBalancersSource
from dnsplan.runtime.retry import Retrying
from planner.rules.balancers import Asked, Condition, condition_of, found_in
from planner.rules.roll import Found, Listing

PAGE_SIZE = 400  # DescribeLoadBalancers' own bound
TAGS_AT_ONCE_MAX = 20  # DescribeTags' own bound
PAGES_MAX = 50
NOT_THERE = "LoadBalancerNotFound"
NO_GROUP = "TargetGroupNotFound"
_NOTHING = {
    "addresses": "it has no fixed addresses; use answer: alias",
    "alias": "it has no name that an alias can lead to, as a gateway load balancer has none",
}


class OpensClients(Protocol):
    """AwsClients as this needs it."""

    def open(self, service: str, *, region: str | None = None) -> AbstractAsyncContextManager[Any]:
        """A client for as long as the block lasts."""
        ...


class StatedBalancersSource:
    """ports.Source over the load balancers that a pool states by name or ARN."""

    def __init__(
        self, targets: Iterable[Target], clients: OpensClients, retrying: Retrying
    ) -> None:
        """A client is opened for each read; its credentials may have changed meanwhile."""
        self._targets = tuple(targets)
        self._clients = clients
        self._retrying = retrying

    async def read(self) -> Listing:
        """Ask for each of them."""
        found: list[Found] = []
        problems: list[str] = []
        for target in self._targets:
            stated = target.load_balancer
            if stated is None:
                continue
            try:
                found.extend(await self._one(target, stated))
            except (DnsplanError, *AWS_TROUBLE) as error:
                problems.append(f"{target.id}: {_words(error)}")
        return Listing(tuple(found), "; ".join(problems) or None)

    async def _one(self, target: Target, stated: LoadBalancer) -> tuple[Found, ...]:
        region = stated.region if stated.arn is None else stated.arn.split(":")[3]
        asked = Asked(
            id=target.id,
            answer=stated.answer,
            evaluate_target_health=stated.evaluate_target_health,
            types=tuple(target.types),
            capacity=target.capacity if "capacity" in target.model_fields_set else None,
            az=target.az,
        )
        if stated.arn is not None:
            which = {"LoadBalancerArns": [stated.arn]}
        else:
            which = {"Names": [str(stated.name)]}
        opening = self._clients.open("elbv2", region=region)
        async with opening as client:
            asking = _Asking(client, self._retrying)
            try:
                described = [one async for one in asking.balancers(which)]
            except AWS_TROUBLE as error:
                if code_of(error) == NOT_THERE:
                    return ()
                raise
            return await asking.found(described, asked)


class TaggedBalancersSource:
    """ports.Source over all load balancers of a Region that carry these tags."""

    def __init__(
        self, stated: LoadBalancersSource, clients: OpensClients, retrying: Retrying
    ) -> None:
        """Each is a target of its own, known by its ARN."""
        self._stated = stated
        self._clients = clients
        self._retrying = retrying

    async def read(self) -> Listing:
        """List all, and keep those whose tags fit."""
        stated = self._stated
        opening = self._clients.open("elbv2", region=stated.region)
        try:
            async with opening as client:
                asking = _Asking(client, self._retrying)
                all_there = [one async for one in asking.balancers({"PageSize": PAGE_SIZE})]
                fitting = await asking.tagged(all_there, stated.tags)
                return await self._listing(asking, fitting)
        except (DnsplanError, *AWS_TROUBLE) as error:
            return Listing((), _words(error))

    async def _listing(self, asking: "_Asking", fitting: Iterable[Mapping[str, Any]]) -> Listing:
        asked = Asked(
            id=None,
            answer=self._stated.answer,
            evaluate_target_health=self._stated.evaluate_target_health,
            types=None,
            capacity=None,
            az=None,
        )
        found: list[Found] = []
        problems: list[str] = []
        for described in fitting:
            try:
                found.extend(await asking.found([described], asked))
            except (DnsplanError, *AWS_TROUBLE) as error:
                problems.append(f"{described['LoadBalancerName']}: {_words(error)}")
        if not found and not problems:
            return Listing((), "no load balancer carries these tags")
        return Listing(tuple(found), "; ".join(problems) or None)


class NothingToAnswer(DnsplanError):
    """A load balancer has no addresses of its own, or no name, and was to answer by them."""


class _Asking:
    """Single requests through the one retry layer."""

    def __init__(self, client: Any, retrying: Retrying) -> None:
        self._client = client
        self._retrying = retrying

    async def balancers(self, which: Mapping[str, Any]) -> AsyncIterator[Mapping[str, Any]]:
        request = dict(which)
        for _ in range(PAGES_MAX):
            answer = await self._retrying.call(
                lambda: self._client.describe_load_balancers(**request)
            )
            for one in answer.get("LoadBalancers", ()):
                yield one
            if (marker := answer.get("NextMarker")) is None:
                return
            request["Marker"] = marker
        raise NoEnd(f"more than {PAGES_MAX} pages of load balancers")

    async def tagged(
        self, described: list[Mapping[str, Any]], tags: Mapping[str, str]
    ) -> list[Mapping[str, Any]]:
        by_arn = {one["LoadBalancerArn"]: one for one in described}
        arns, fitting = sorted(by_arn), []
        for start in range(0, len(arns), TAGS_AT_ONCE_MAX):
            for one in await self._tags(arns[start : start + TAGS_AT_ONCE_MAX]):
                has = {tag["Key"]: tag.get("Value", "") for tag in one["Tags"]}
                if tags.items() <= has.items():
                    fitting.append(by_arn[one["ResourceArn"]])
        return fitting

    async def found(
        self, described: Iterable[Mapping[str, Any]], asked: Asked
    ) -> tuple[Found, ...]:
        found: list[Found] = []
        for one in described:
            some = found_in(one, await self._condition(one["LoadBalancerArn"]), asked)
            if not some:
                raise NothingToAnswer(_NOTHING[asked.answer])
            found.extend(some)
        return tuple(found)

    async def _condition(self, arn: str) -> Condition | None:
        groups = await self._groups(arn)
        told: list[Mapping[str, Any]] = []
        for group in groups:
            told.extend(await self._health(group["TargetGroupArn"]))
        return condition_of(told) if groups else None

    async def _tags(self, arns: list[str]) -> Sequence[Mapping[str, Any]]:
        answer = await self._retrying.call(lambda: self._client.describe_tags(ResourceArns=arns))
        return _listed(answer, "TagDescriptions")

    async def _groups(self, arn: str) -> Sequence[Mapping[str, Any]]:
        """Also none, which AWS may say by an error."""
        try:
            answer = await self._retrying.call(
                lambda: self._client.describe_target_groups(LoadBalancerArn=arn, PageSize=PAGE_SIZE)
            )
        except AWS_TROUBLE as error:
            if code_of(error) == NO_GROUP:
                return ()
            raise
        return _listed(answer, "TargetGroups")

    async def _health(self, group: str) -> Sequence[Mapping[str, Any]]:
        """None of a group that ended between two questions."""
        try:
            answer = await self._retrying.call(
                lambda: self._client.describe_target_health(TargetGroupArn=group)
            )
        except AWS_TROUBLE as error:
            if code_of(error) == NO_GROUP:
                return ()
            raise
        return _listed(answer, "TargetHealthDescriptions")


def _listed(answer: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    listed: Sequence[Mapping[str, Any]] = answer[key]
    return listed


class NoEnd(DnsplanError):
    """A list that does not end is not read on."""


def _words(error: BaseException) -> str:
    return str(error) if isinstance(error, DnsplanError) else in_words(error)
