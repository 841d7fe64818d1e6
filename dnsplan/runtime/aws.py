"""Clients for AWS with every setting stated: one request is sent once, and ends in bounded time.

SDK retries are off for every client, since a hidden second try of a fenced write would be refused
by its own first and look like a lost race; the one retry layer is `retry`. Credentials, Region
and endpoints (AWS_ENDPOINT_URL and its kin) come by the usual AWS environment and files. The SDK
takes over half a second to import, so it is imported when the first client is opened.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from aiobotocore.hooks import AioHierarchicalEmitter
    from aiobotocore.session import AioSession

    from dnsplan.runtime.aws_credentials import SoughtCredentials

# Route 53 has one endpoint a partition, signed for one of its Regions; credentials of China and
# GovCloud are none elsewhere. All others begin otherwise.
ROUTE53_REGION = "us-east-1"
ROUTE53_REGIONS = {"cn-": "cn-northwest-1", "us-gov-": "us-gov-west-1"}
ROLE_SESSION_NAME = "dnsplan"


@dataclass(frozen=True, slots=True)
class CallBounds:
    """Bounds of one request, which both together are for the whole of; a batch of 1,000 changes is
    answered well within the read's.

    A lost answer must leave the retry layer time to ask again before its own bound is reached.
    """

    connect_timeout_s: float = 3.0
    read_timeout_s: float = 10.0
    connections_max: int = 20


# One item, or a page of them, is answered in milliseconds.
_TABLE_BOUNDS = CallBounds(read_timeout_s=5.0)


def bounds_for(service: str) -> CallBounds:
    """The bounds of a service's requests, where nobody states others."""
    return _TABLE_BOUNDS if service == "dynamodb" else CallBounds()


def route53_region(region: str | None) -> str:
    """Where Route 53 of this Region's partition is; it is no matter that no Region is set."""
    homes = (home for start, home in ROUTE53_REGIONS.items() if (region or "").startswith(start))
    return next(homes, ROUTE53_REGION)


class ClientsByLabel(dict[str, Any]):
    """Clients by label, one for all labels of one role; whoever holds it sees labels that come."""

    def __init__(self, opened: Callable[[str | None], Awaitable[Any]]) -> None:
        """`opened` gives a role's client, open for as long as all are."""
        super().__init__()
        self._opened = opened
        self._by_role: dict[str | None, Any] = {}

    async def follow(self, role_arns: Mapping[str, str | None]) -> None:
        """Have a client for each of these labels. ReadFailed when one cannot be opened."""
        for label, role_arn in role_arns.items():
            if role_arn not in self._by_role:
                self._by_role[role_arn] = await self._opened(role_arn)
                # A client takes milliseconds to make, and there may be hundreds.
                await asyncio.sleep(0)  # noqa: TID251 - gives way once, and waits for nothing
            self[label] = self._by_role[role_arn]


class AwsClients:
    """Opens clients. `transport` goes to the SDK's config, for a stand-in without sockets."""

    def __init__(
        self,
        *,
        bounds: CallBounds | None = None,
        transport: type[Any] | None = None,
    ) -> None:
        """Keep the bounds; nothing is imported or opened yet."""
        self._bounds = bounds
        self._transport = transport
        self._sessions: dict[str | None, AioSession] = {}
        self._sought: dict[str | None, SoughtCredentials] = {}
        self._loader: Any = None  # botocore's, which has no types
        self._hooks: AioHierarchicalEmitter | None = None

    def anew(self) -> "AwsClients":
        """The same without what is known by now, such as credentials."""
        return AwsClients(bounds=self._bounds, transport=self._transport)

    def open(
        self, service: str, *, region: str | None = None, role_arn: str | None = None
    ) -> AbstractAsyncContextManager[Any]:
        """A client of a service; it closes its connections when the block ends.

        ReadFailed when it cannot be opened: no Region is set, or a profile is not there.
        """
        return self._open(service, region, role_arn)

    @asynccontextmanager
    async def _open(
        self, service: str, region: str | None, role_arn: str | None
    ) -> AsyncIterator[Any]:
        from dnsplan.runtime.aws_answers import look_at_answers
        from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read

        async with AsyncExitStack() as stack:
            try:
                session = await self._session(role_arn)
                if service == "route53":
                    region = route53_region(region or session.get_config_variable("region"))
                opening = session.create_client(
                    service, region_name=region, config=self._config(service)
                )
                client = await stack.enter_async_context(opening)
                _ = urlsplit(client.meta.endpoint_url).port
            except (*AWS_TROUBLE, ValueError) as error:  # the latter of an endpoint that is none
                raise failed_read(error, f"open a client for {service}") from error
            look_at_answers(client)
            if role_arn in self._sought:
                client.meta.events.register("after-call", self._sought[role_arn].hear)
            yield client

    @asynccontextmanager
    async def open_by_label(
        self, service: str, role_arns: Mapping[str, str | None]
    ) -> AsyncIterator["ClientsByLabel"]:
        """A client for each label, one for all labels of one role."""
        async with AsyncExitStack() as stack:

            async def opened(role_arn: str | None) -> Any:
                return await stack.enter_async_context(self.open(service, role_arn=role_arn))

            clients = ClientsByLabel(opened)
            await clients.follow(role_arns)
            yield clients

    def _config(self, service: str) -> Any:
        from aiobotocore.config import AioConfig

        from dnsplan.runtime.aws_transport import BoundedSession

        bounds = self._bounds or bounds_for(service)
        return AioConfig(
            connect_timeout=bounds.connect_timeout_s,
            read_timeout=bounds.read_timeout_s,
            max_pool_connections=bounds.connections_max,
            retries={"mode": "standard", "total_max_attempts": 1},
            tcp_keepalive=True,
            user_agent_extra="dnsplan",
            # A tenth of what a large batch costs. Our record sets are checked, and Route 53 judges.
            parameter_validation=service != "route53",
            http_session_cls=self._transport or BoundedSession,
        )

    async def _session(self, role_arn: str | None) -> "AioSession":
        if role_arn not in self._sessions:
            self._sessions[role_arn] = await self._new_session(role_arn)
        return self._sessions[role_arn]

    async def _new_session(self, role_arn: str | None) -> "AioSession":
        from dnsplan.runtime.aws_credentials import SoughtCredentials

        session = self._made()
        if role_arn is None:
            sought = SoughtCredentials(lambda: self._made().get_credentials())
            # Whoever assumes a role hears it first when the source's own are refused.
            session.register("after-call.sts", sought.hear)
        else:
            # One source for all roles, so that its own credentials are asked for once.
            source = await self._session(None)
            sought = SoughtCredentials(lambda: self._assumed(source, role_arn))
        # The SDK assumes roles only by its config files; this is the component that it asks.
        session.register_component("credential_provider", sought)
        self._sought[role_arn] = sought
        return session

    async def _assumed(self, source: "AioSession", role_arn: str) -> Any:
        """A role's credentials; nothing is asked for before they are needed."""
        from aiobotocore.credentials import (
            AioAssumeRoleCredentialFetcher,
            AioDeferredRefreshableCredentials,
        )

        fetcher = AioAssumeRoleCredentialFetcher(
            client_creator=self._role_client(source),
            source_credentials=await source.get_credentials(),
            role_arn=role_arn,
            extra_args={"RoleSessionName": ROLE_SESSION_NAME},
        )
        return AioDeferredRefreshableCredentials(
            refresh_using=fetcher.fetch_credentials, method="assume-role"
        )

    def _made(self) -> "AioSession":
        """A session with what the first one read and set up: each would read descriptions of AWS's
        services of its own, some nine megabytes, and look through over a hundred handlers, which
        takes longer than all the rest. Zones may stand in hundreds of accounts."""
        from aiobotocore.hooks import AioHierarchicalEmitter
        from aiobotocore.session import AioSession

        from dnsplan.runtime.aws_parsing import AnswerParsers

        if self._hooks is None:
            self._hooks = AioHierarchicalEmitter()
            session = AioSession(event_hooks=self._hooks)
            self._loader = session.get_component("data_loader")
        else:
            session = AioSession(event_hooks=self._hooks, include_builtin_handlers=False)
            session.register_component("data_loader", self._loader)
        session.register_component("response_parser_factory", AnswerParsers())
        return session

    def _role_client(self, session: "AioSession") -> Any:
        def create(service: str, **settings: Any) -> Any:
            return session.create_client(service, **{**settings, "config": self._config(service)})

        return create
