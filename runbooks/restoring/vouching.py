"""Whether somebody vouches for a plan file, and what is said where an operator goes on regardless.

Break-glass needs no config. Where one is found its keys count, and a file that none of them signed,
as one that was edited, is restored only with --unsigned and a reason; that is logged and paged,
through sinks that need no table.
"""

from collections.abc import Mapping
from pathlib import Path

from dnsplan.errors import ConfigError
from dnsplan.formats.planfile import PlanFile
from dnsplan.notices import Cause
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config import files, load
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.keys import keyring_of
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.opening import open_lines
from dnsplan.runtime.paging.pager import Pager
from dnsplan.signing import file_doubt
from dnsplan.vouch import ANYBODY, NOBODY
from runbooks.controls.fence_mover import Tell
from runbooks.controls.outside import Mistaken, Operator, Refused

KIND = "unsigned-restore"
# The zone waits meanwhile, so a sink that does not answer is not waited for.
PAGED_WITHIN_S = 5.0


def settings_at_hand(config: Path | None, environ: Mapping[str, str]) -> Settings | None:
    """The config, None where there is none; ConfigError when it is there and wrong."""
    found = files.find(config, environ)
    if not isinstance(found, Path) or (config is None and not found.exists()):
        return None
    return load(found, environ, records=False).settings


def doubt_of(
    stated: PlanFile, config: Path | None, environ: Mapping[str, str], tell: Tell
) -> tuple[str | None, Settings | None]:
    """Why nobody vouches for the file, if so, and the config that says whose word counts."""
    try:
        settings = settings_at_hand(config, environ)
    except ConfigError as error:
        return f"cannot be checked, since the config has mistakes:\n{error}\n", None
    if settings is None:
        tell("no config is found, so nobody knows whose signature counts: the file is not checked")
        return None, None
    return file_doubt(stated, keyring_of(settings.signing)), settings


def asks_for_keys(settings: Settings) -> bool:
    """Whether a file that nobody signed, as --save writes it, is one that is doubted."""
    return keyring_of(settings.signing).doubt(NOBODY, b"", ANYBODY) is not None


def refuse_doubtful(file: Path, doubt: str | None, *, unsigned: bool, because: str) -> None:
    """Refused without --unsigned, Mistaken without a reason beside it."""
    if unsigned and not because:
        raise Mistaken("--unsigned: no reason; allowed: --unsigned with --because TEXT")
    if doubt is not None and not unsigned:
        raise Refused(
            f"{file} {doubt}; nothing was changed. Read it, line by line; if it is what the zone"
            " should hold: --unsigned --because TEXT, which is logged and paged"
        )


async def page_unsigned(
    settings: Settings | None,
    stated: PlanFile,
    doubt: str,
    operator: Operator,
    environ: Mapping[str, str],
) -> None:
    """Log it, and tell everybody whom the config names; who cannot be reached is not waited for."""
    clock = SystemClock()
    alarms = [] if settings is None else settings.paging.alarms or settings.sentinel.alarms
    lines = open_lines(alarms, environ, clock, timeout_s=PAGED_WITHIN_S, folder=None)
    pager = Pager(lines, clock, Manners(repeat_s=0.0, calm_s=0.0), None)
    await pager.tell([cause_of(stated, doubt, operator)], is_unsure=lambda _: False)
    for line in lines:
        await line.drain(within_s=PAGED_WITHIN_S)


def cause_of(stated: PlanFile, doubt: str, operator: Operator) -> Cause:
    """What is paged."""
    return Cause(
        kind=KIND,
        label=stated.label,
        verdict="unsigned",
        title=f"zone {stated.label}: {operator.name} restores a plan file that nobody vouches for",
        lines=(
            f"the file of generation {stated.generation} {doubt}",
            f"because: {operator.because}",
        ),
        commands=(f"dns-runbook verify {stated.label}",),
        runbook="unsigned-plan",
    )
