"""What `dns-runbook export` does: read a plan, write it in another form, name what is left out.

A form that cannot say everything is written only with --lossy, so that nobody takes a part for the
whole.
"""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from dnsplan.formats import Written, bind, octodns
from dnsplan.formats.planfile import plan_file, write_plan_file
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.whole_file import write_whole
from runbooks.controls.outside import Mistaken
from runbooks.controls.session import FINE, REFUSED, exit_code_of, say, tell
from runbooks.exporting.reading import Exported, read_plan


class Format(StrEnum):
    """The forms that a plan can be written in."""

    BIND = "bind"
    OCTODNS = "octodns"
    PLAN = "plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The command line."""

    config: Path | None
    label: str
    format: Format
    generation: int | None
    output: Path | None
    lossy: bool


def export_plan(options: ExportOptions, environ: Mapping[str, str]) -> int:
    """Export, and give the exit code."""

    def work() -> int:
        settings = load(options.config, environ).settings
        _check(options, settings)
        return _write(asyncio.run(_read(settings, options)), options)

    return exit_code_of(work)


def in_form(exported: Exported, form: Format) -> Written:
    """The plan's content in a form."""
    plan = exported.plan
    match form:
        case Format.BIND:
            return bind.zone_text(plan.zone, plan.content)
        case Format.OCTODNS:
            return octodns.zone_text(octodns.Place(plan.zone, exported.zone_id), plan.content)
        case Format.PLAN:
            return Written(write_plan_file(plan_file(plan, exported.digest)), ())
        case _:
            assert_never(form)


def _check(options: ExportOptions, settings: Settings) -> None:
    if options.label not in settings.zones:
        known = ", ".join(sorted(settings.zones))
        raise Mistaken(f"no zone {options.label} in the config; there are {known}")


async def _read(settings: Settings, options: ExportOptions) -> Exported:
    asking = Retrying(SystemClock(), SystemJitter(), budget=RetryBudget())
    async with AwsClients().open("dynamodb") as dynamodb:
        table = DynamoGenerationTable(dynamodb, settings.table, asking)
        archive = DynamoPlanArchive(dynamodb, settings.table, asking)
        return await read_plan(table, archive, options.label, options.generation)


def _write(exported: Exported, options: ExportOptions) -> int:
    written = in_form(exported, options.format)
    for one in written.unsaid:
        tell(f"left out: {one}")
    count, left_out = len(exported.plan.content), len(written.unsaid)
    if left_out and not options.lossy:
        text = f"{left_out} of {count} record sets cannot be said in the form {options.format}"
        return say(f"{text}; nothing was written: --lossy writes the others", REFUSED)
    if options.output is None:
        sys.stdout.write(written.text)
        sys.stdout.flush()
    else:
        write_whole(options.output, written.text)
    where = "" if options.output is None else f" to {options.output}"
    told = f"{options.label}: generation {exported.plan.generation}, {count - left_out} record sets"
    tell(f"{told}{where}" + (f", {left_out} left out" if left_out else ""))
    return FINE
