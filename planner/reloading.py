"""Takes up another config while the planner runs; one with mistakes changes nothing, loudly.

It looks at the files at each pass of its own, in a thread: reading a large config takes a while,
and planning and probing go on meanwhile.
"""

import asyncio
from collections.abc import Callable
from typing import assert_never

import structlog

from dnsplan.ports import Clock
from dnsplan.runtime.config.rereading import Broken, ConfigFiles, Reread
from dnsplan.runtime.config.schema import Settings
from planner.outlook import Outlook
from planner.rules.reloading import needs_restart, why_not, zones_gone
from planner.settings import planner_settings

# What is wrong is said again, and looked at again, after this time.
SAID_AGAIN_S = 60.0
PROBLEMS_SAID_MAX = 10


class Reloading:
    """One running planner's config."""

    def __init__(
        self,
        files: ConfigFiles,
        outlook: Outlook,
        *,
        clock: Clock,
        az: str | None,
    ) -> None:
        """The outlook was made of what was read from these files."""
        self._settings = files.settings
        self._files = files
        self._outlook = outlook
        self._clock = clock
        self._az = az
        self._broken_s: float | None = None
        # Whoever shows the config's zones is told of another one.
        self.on_taken: Callable[[Settings], None] = lambda _settings: None
        self._log = structlog.get_logger("planner")

    async def run_once(self) -> None:
        """Look once."""
        now_s = self._clock.elapsed_s()
        anew = self._broken_s is not None and now_s - self._broken_s >= SAID_AGAIN_S
        news = await asyncio.to_thread(self._files.look, anew=anew)
        match news:
            case None:
                return
            case Broken(error):
                self._refuse([str(one) for one in error.problems], now_s)
            case Reread(loaded):
                self._take(loaded.settings, now_s)
            case _:
                assert_never(news)

    def _take(self, settings: Settings, now_s: float) -> None:
        before = self._settings
        if (why := why_not(before, settings, az=self._az)) is not None:
            self._refuse([why], now_s)
            return
        was_broken, self._broken_s = self._broken_s is not None, None
        if settings == before:
            if was_broken:
                self._log.info("config_mended", zones=len(settings.zones))
            return
        self._outlook.take(planner_settings(settings))
        self._settings = settings
        self.on_taken(settings)
        self._log.info(
            "config_reloaded",
            zones=len(settings.zones),
            zones_gone=zones_gone(before, settings),
            needs_restart=needs_restart(before, settings),
        )

    def _refuse(self, problems: list[str], now_s: float) -> None:
        self._broken_s = now_s
        self._log.error(
            "config_refused",
            problems=problems[:PROBLEMS_SAID_MAX],
            count=len(problems),
            still="the config that was read before",
            command="dns-planner plan",
        )
