"""Keeps one loop running for each item of a set that may be told anew at any time.

What is new is started, what is no longer wanted is ended, what stays is left alone. It decides
nothing; a fault in any loop ends them all.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ItemT = TypeVar("ItemT")


class Tending(Generic[KeyT, ItemT]):
    """Invariant: at most one loop a key; an item that changed gets a loop of its own."""

    def __init__(
        self, follow: Callable[[ItemT], Awaitable[None]], items: Mapping[KeyT, ItemT]
    ) -> None:
        """Nothing runs yet; `follow` never ends by itself."""
        self._follow = follow
        self._wanted = dict(items)
        self._told = asyncio.Event()
        self._running: dict[KeyT, tuple[ItemT, asyncio.Task[None]]] = {}

    @property
    def items(self) -> Mapping[KeyT, ItemT]:
        """What is wanted now."""
        return self._wanted

    def tell(self, items: Mapping[KeyT, ItemT]) -> None:
        """Want these and no others from now on."""
        self._wanted = dict(items)
        self._told.set()

    async def run(self) -> None:
        """Keep the loops until cancelled, or until one breaks."""
        async with asyncio.TaskGroup() as group:
            while True:
                self._told.clear()
                self._change(group)
                await self._told.wait()

    def _change(self, group: asyncio.TaskGroup) -> None:
        for key, (item, task) in list(self._running.items()):
            if key not in self._wanted or self._wanted[key] != item:
                task.cancel()
                del self._running[key]
        for key, item in self._wanted.items():
            if key not in self._running:
                self._running[key] = (item, group.create_task(self._loop(item)))

    async def _loop(self, item: ItemT) -> None:
        await self._follow(item)
