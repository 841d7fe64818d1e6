"""What `dns-runbook drill` does: choose, spawn, play, report; exit 0 only when all came back and no
promise was broken."""

import asyncio
import sys
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path

from dnsplan.errors import DnsplanError
from dnsplan.exits import FAILED, FINE, USAGE
from dnsplan.ports import Jitter
from dnsplan.runtime.clock import SystemClock, SystemJitter
from runbooks.controls.session import done, say
from runbooks.controls.words import moment
from runbooks.drilling.drill import Drill, by_person, rehearse
from runbooks.drilling.failures import FAILURES, Failure
from runbooks.drilling.opening import open_stand
from runbooks.drilling.person import Person
from runbooks.drilling.report import Drilled, conclusion, report
from runbooks.drilling.watching import watching


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillOptions:
    """The command line."""

    name: str | None
    rehearse: bool
    within_s: float
    report: Path | None
    by: str


def list_failures() -> int:
    """One line a failure, for who wants to choose."""
    sys.stdout.writelines(f"{one.name:<16} runbooks/{one.page}.md\n" for one in FAILURES)
    return FINE


def drill(options: DrillOptions, environ: MutableMapping[str, str]) -> int:
    """Play one drill. The AWS settings leave `environ`; the sandbox's take their place."""
    failure = _chosen(options.name, SystemJitter())
    if failure is None:
        known = ", ".join(one.name for one in FAILURES)
        return say(f"no failure {options.name}; there are {known}", USAGE)
    if not options.rehearse and not sys.stdin.isatty():
        return say("a drill asks a person; --rehearse types the page's commands", USAGE)
    by = options.by or environ.get("USER", "unknown")
    try:
        drilled = asyncio.run(_play(failure, options, by, environ))
    except (DnsplanError, OSError) as error:
        return say(f"the drill could not be played: {error}", FAILED)
    except KeyboardInterrupt:
        return say("stopped; the sandbox is gone, and nothing else was touched", FAILED)
    text = report(drilled)
    if options.report is None:
        sys.stdout.write("\n" + text)
    else:
        options.report.write_text(text)
        sys.stdout.write(f"{drilled.failure}: {conclusion(drilled.verdict)}; {options.report}\n")
    return FINE if drilled.verdict.is_passed else FAILED


def _chosen(name: str | None, jitter: Jitter) -> Failure | None:
    if name is None:
        return FAILURES[int(jitter.uniform(0, len(FAILURES))) % len(FAILURES)]
    return next((one for one in FAILURES if one.name == name), None)


async def _play(
    failure: Failure, options: DrillOptions, by: str, environ: MutableMapping[str, str]
) -> Drilled:
    clock, person = SystemClock(), Person()
    _show("starting a sandbox; nothing outside it is touched")
    async with open_stand(environ, clock) as stand, watching(stand) as watcher:
        at = moment(clock.now_s())
        one = Drill(failure, stand, watcher, _show, options.within_s)
        if options.rehearse:
            verdict = await one.play(rehearse)
        else:
            person.listen()
            try:
                verdict = await one.play(by_person(person))
            finally:
                person.leave()
    return Drilled(failure.name, failure.page, at, by, one.moments, verdict)


def _show(line: str) -> None:
    done(line)
    sys.stdout.flush()
