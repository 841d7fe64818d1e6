"""A measured process as its parent sees it: one JSON line a command, one JSON line an answer.

It ends when its input does, so that no measured process outlives who started it.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Command = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]


async def serve(commands: Mapping[str, Command]) -> None:
    """Say that it is ready, then answer commands until there are no more."""
    _say({"ready": True})
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        _say(await commands[asked["do"]](asked))


def _say(answer: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
