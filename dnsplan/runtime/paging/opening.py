"""Opens what the config states for paging: sinks with their spools, the pager, the heartbeat."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

import structlog

from dnsplan.ports import Clock
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.config.alarms import Alarm, HeartbeatSection, WebhookAlarm
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.config.secret import SecretText
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.command import CommandSink
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.heartbeat import Heartbeat
from dnsplan.runtime.paging.log import LogSink
from dnsplan.runtime.paging.pager import Pager
from dnsplan.runtime.paging.ports import Sink
from dnsplan.runtime.paging.sns import SnsSink
from dnsplan.runtime.paging.spool import DiskSpool, folder_name
from dnsplan.runtime.paging.strays import LOOK_EVERY_S, Strays
from dnsplan.runtime.paging.webhook import Shape, WebhookSink
from dnsplan.runtime.periodic import Periodic
from dnsplan.runtime.regular_file import is_folder

FOLDER = "paging"
DELIVER_EVERY_S = 0.2
AZ_PLACE = "{az}"
# The sentinel's are shares of its promise; what others page has more time.
SINK_S = 10.0
DRAIN_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Who:
    """A daemon that pages: its name, which is its folder's, its AZ, and its state folder."""

    name: str
    az: str
    state_dir: Path


@dataclass(frozen=True, slots=True)
class Paging:
    """What a daemon pages with, and what it keeps doing for it."""

    pager: Pager
    lines: tuple[Delivery, ...]
    beat: Heartbeat | None
    works: tuple[Periodic, ...]
    strays: Strays | None = None

    async def resume(self) -> None:
        """Take up what a former process left."""
        if self.strays is not None:
            await self.strays.settle()
        for one in self.lines:
            await one.resume()
        await self.pager.resume()

    async def close(
        self, *, within_s: float = DRAIN_WITHIN_S, kept_within_s: float | None = None
    ) -> None:
        """Deliver what can be delivered in a moment; the rest waits on disk."""
        async with asyncio.TaskGroup() as group:
            for one in self.lines:
                group.create_task(one.drain(within_s=within_s, kept_within_s=kept_within_s))


async def open_paging(
    settings: Settings,
    who: Who,
    environ: Mapping[str, str],
    clock: Clock,
    *,
    heartbeat: HeartbeatSection | None,
) -> Paging:
    """Sinks of `paging.alarms`, or of the sentinel's, with what a former process left."""
    section = settings.paging
    alarms = settings.sentinel.alarms if section.alarms is None else section.alarms
    own = who.state_dir / FOLDER / who.name
    # Where nobody but the log is told, nothing is kept: a sandbox leaves the real folder alone.
    folder = own if alarms else None
    if folder is not None and not is_folder(who.state_dir):
        # Whoever installs the daemon makes that folder; pages go out all the same.
        log = structlog.get_logger("paging")
        log.error("pages_not_kept", reason=f"state_dir {who.state_dir}: no folder to write to")
        folder = None
    lines = open_lines(alarms, environ, clock, timeout_s=SINK_S, folder=folder)
    strays = strays_of(alarms, own, clock)
    manners = Manners(repeat_s=section.repeat_s, calm_s=section.calm_s)
    beat, beats = heart(heartbeat, az=who.az)
    works = (*delivering(lines, strays), *beats)
    paging = Paging(Pager(lines, clock, manners, folder), tuple(lines), beat, works, strays)
    await paging.resume()
    return paging


class Silent(list[Alarm]):
    """No receivers, since an option says so: what waits for those of the config is left alone."""


def silenced(settings: Settings) -> Settings:
    """The same config for a daemon that tells nobody but its log, as in a sandbox."""
    return settings.model_copy(
        update={
            "paging": settings.paging.model_copy(update={"alarms": Silent()}),
            "sentinel": settings.sentinel.model_copy(
                update={"alarms": Silent(), "heartbeat": None}
            ),
            "planner": settings.planner.model_copy(update={"heartbeat": None}),
            "enactor": settings.enactor.model_copy(update={"heartbeat": None}),
        }
    )


def open_lines(
    alarms: Sequence[Alarm],
    environ: Mapping[str, str],
    clock: Clock,
    *,
    timeout_s: float,
    folder: Path | None,
) -> list[Delivery]:
    """A line before the log, which takes every page, and before each alarm of the config."""
    lines = [Delivery(LogSink(), clock)]
    for at, alarm in enumerate(alarms):
        sink = _sink(alarm, at, environ, timeout_s)
        if sink is not None:
            spool = None if folder is None else DiskSpool(folder / _folder(alarm))
            lines.append(Delivery(sink, clock, spool))
    return lines


def strays_of(alarms: Sequence[Alarm], folder: Path, clock: Clock) -> Strays | None:
    """What waits for others than these; None where it is left alone, or there is no such folder."""
    if isinstance(alarms, Silent) or not is_folder(folder.parents[1]):
        return None
    return Strays(folder, [name for one in alarms if (name := _folder(one))], clock)


def _sink(alarm: Alarm, position: int, environ: Mapping[str, str], timeout_s: float) -> Sink | None:
    match alarm:
        case Alarm(webhook=hook) if hook is not None:
            return _webhook(hook, position, timeout_s)
        case Alarm(command=argv) if argv is not None:
            return CommandSink(argv, environ, timeout_s=timeout_s)
        case Alarm(sns=topic) if topic is not None:
            return SnsSink(AwsClients(), topic.arn, timeout_s=timeout_s)
        case Alarm():
            return None  # log: it is there already
        case _:
            assert_never(alarm)


def _folder(alarm: Alarm) -> str:
    """Where its notices wait; empty for the log, for which nothing waits."""
    match alarm:
        case Alarm(webhook=hook) if hook is not None:
            return folder_name("webhook", hook.url.reveal())
        case Alarm(command=argv) if argv is not None:
            return folder_name("command", "\0".join(argv))
        case Alarm(sns=topic) if topic is not None:
            return folder_name("sns", topic.arn)
        case Alarm():
            return ""
        case _:
            assert_never(alarm)


def _webhook(hook: WebhookAlarm, position: int, timeout_s: float) -> WebhookSink:
    seconds = min(hook.timeout_s, timeout_s)
    shape = Shape(hook.body, hook.headers, hook.secret)
    return WebhookSink(hook.url, position=position, timeout_s=seconds, shape=shape)


def delivering(lines: Sequence[Delivery], strays: Strays | None) -> list[Periodic]:
    """What a daemon keeps doing for them."""
    works = [Periodic(f"deliver to {one.name}", DELIVER_EVERY_S, one.run_once) for one in lines]
    if strays is not None:
        works.append(Periodic("look for stranded notices", LOOK_EVERY_S, strays.run_once))
    return works


def heart(section: HeartbeatSection | None, *, az: str) -> tuple[Heartbeat | None, list[Periodic]]:
    """The heartbeat of a daemon, if one is stated, and its pace."""
    if section is None:
        return None, []
    text = section.url.reveal().replace(AZ_PLACE, az)
    beat = Heartbeat(SecretText(text, section.url.source), timeout_s=section.timeout_s)
    return beat, [Periodic("heartbeat", section.every_s, beat.run_once, spread=0.0)]
