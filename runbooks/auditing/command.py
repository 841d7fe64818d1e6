"""What `dns-runbook audit` does: look through one zone, show drift, say what happens next."""

import json
import sys
from collections.abc import Mapping

from dnsplan.exits import FAILED, FINE
from enactor.ports import Outside
from runbooks.auditing.looking import Audit, Looking
from runbooks.auditing.show import audit_facts, audit_lines, audit_table, what_next
from runbooks.controls.outside import Operator
from runbooks.controls.session import ControlOptions, run, show
from runbooks.controls.telling import tell
from runbooks.controls.wiring import Desk
from runbooks.looking.progress import shown


def audit_zone(options: ControlOptions, environ: Mapping[str, str]) -> int:
    """Audit one zone, and give the exit code."""

    async def act(desk: Desk, _: Operator) -> int:
        (label, zone), *_others = desk.zones.items()
        outside = Outside(
            table=desk.outside.table,
            archive=desk.outside.archive,
            records=desk.outside.records,
            exceptions=desk.exceptions,
            clock=desk.outside.clock,
            jitter=desk.outside.jitter,
        )
        with shown(f"reading {label}", "pages") as progress:
            audit = await Looking(outside).look(zone, progress)
        _show(options, label, audit)
        if not audit.drift:
            return FINE
        settings = desk.settings
        tell(what_next(label, settings.zones[label], settings.enactor.audit_s))
        return FAILED

    return run(options, environ, act, signs=False, records=False)


def _show(options: ControlOptions, label: str, audit: Audit) -> None:
    if options.json:
        sys.stdout.write(json.dumps(audit_facts(label, audit)) + "\n")
    else:
        show(lambda: audit_table(label, audit), audit_lines(label, audit))
