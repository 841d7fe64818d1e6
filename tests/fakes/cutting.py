"""A process that dies at a port, or is overtaken there: at the n-th call of any, before or after
it acted."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto
from inspect import iscoroutinefunction
from typing import Any, TypeVar, cast

Port = TypeVar("Port")


class Crashed(BaseException):
    """The process is gone; nothing of its code may catch this."""


class Moment(Enum):
    """When it dies: the request was never sent, or its answer never read."""

    BEFORE = auto()
    AFTER = auto()


@dataclass
class Cut:
    """Counts the calls of all ports that it wraps."""

    at: int
    moment: Moment
    calls: int = 0
    meanwhile: Callable[[], Awaitable[None]] | None = None

    def wrap(self, port: Port) -> Port:
        """The same port, deadly at one call."""
        return cast("Port", _Deadly(port, self))

    async def arrives(self, moment: Moment) -> None:
        """Die if this is the call and the moment, or let others work `meanwhile`."""
        if self.calls != self.at or moment is not self.moment:
            return
        if self.meanwhile is None:
            raise Crashed
        await self.meanwhile()


class _Deadly:
    def __init__(self, port: object, cut: Cut) -> None:
        self._port, self._cut = port, cut

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._port, name)
        if not iscoroutinefunction(method):
            return cast("Callable[..., Any]", method)

        async def call(*args: Any, **kwargs: Any) -> Any:
            self._cut.calls += 1
            await self._cut.arrives(Moment.BEFORE)
            try:
                return await method(*args, **kwargs)
            finally:
                await self._cut.arrives(Moment.AFTER)

        return call
