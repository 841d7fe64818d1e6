"""What `dns-runbook export` does: read a plan, write it in another form, name what is left out.

A form that cannot say everything is written only with --lossy, so that nobody takes a part for the
whole.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from dnsplan.exits import FINE, REFUSED
from dnsplan.formats import Written, bind, octodns
from dnsplan.formats.planfile import write_plan_file
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.whole_file import write_whole
from runbooks.controls.outside import Operator
from runbooks.controls.session import ControlOptions, run_with, say
from runbooks.controls.telling import tell
from runbooks.controls.wiring import open_tables
from runbooks.exporting.reading import Exported, read_plan


class Format(StrEnum):
    """The forms that a plan can be written in."""

    BIND = "bind"
    OCTODNS = "octodns"
    PLAN = "plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What export takes beside."""

    format: Format
    generation: int | None
    output: Path | None
    lossy: bool


def export_plan(options: ControlOptions, wish: ExportOptions, environ: Mapping[str, str]) -> int:
    """Export, and give the exit code."""

    async def work(settings: Settings, _: Operator) -> int:
        (label,) = options.labels
        async with open_tables(settings) as tables:
            side = tables.side
            exported = await read_plan(side.table, side.archive, label, wish.generation)
        return _write(exported, wish)

    return run_with(options, environ, work, records=False)


def in_form(exported: Exported, form: Format) -> Written:
    """The plan's content in a form."""
    plan = exported.plan
    match form:
        case Format.BIND:
            return bind.zone_text(plan.zone, plan.content)
        case Format.OCTODNS:
            return octodns.zone_text(octodns.Place(plan.zone, exported.zone_id), plan.content)
        case Format.PLAN:
            return Written(write_plan_file(exported.file), ())
        case _:
            assert_never(form)


def _write(exported: Exported, wish: ExportOptions) -> int:
    written, plan = in_form(exported, wish.format), exported.plan
    for one in written.unsaid:
        tell(f"left out: {one}")
    count, left_out = len(plan.content), len(written.unsaid)
    if left_out and not wish.lossy:
        text = f"{left_out} of {count} record sets cannot be said in the form {wish.format}"
        return say(f"{text}; nothing was written: --lossy writes the others", REFUSED)
    if wish.output is None:
        sys.stdout.write(written.text)
        sys.stdout.flush()
    else:
        write_whole(wish.output, written.text)
    where = "" if wish.output is None else f" to {wish.output}"
    told = f"{plan.label}: generation {plan.generation}, {count - left_out} record sets"
    tell(f"{told}{where}" + (f", {left_out} left out" if left_out else ""))
    if exported.doubt is not None:
        tell(f"generation {plan.generation} {exported.doubt}: look at it before you use it")
    return FINE
