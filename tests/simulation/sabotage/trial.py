"""One sabotage in a process of its own: rewrite, import, and look until a promise breaks.

Prints one line of JSON. Exit code 0: noticed; 3: nothing broke; 2: nothing to rewrite.
"""

import json
import os
import sys
import time
from dataclasses import dataclass, replace

from tests.simulation.sabotage.catalogue import named
from tests.simulation.sabotage.rewriting import NoSuchText, install
from tests.simulation.sabotage.sabotage import Explored, Sabotage, Search, Seeds

NOTICED, NOTHING_TO_REWRITE, UNNOTICED = 0, 2, 3

# The SDK signs what never leaves the process, and needs something to sign with.
_AWS = {
    "AWS_ACCESS_KEY_ID": "AKIATESTTESTTESTTEST",
    "AWS_SECRET_ACCESS_KEY": "not-a-secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}

# A process whose own check ends it is started again, and ends again: nothing converges.
ENDED_BY_A_CHECK = "P10"


@dataclass(frozen=True, slots=True)
class Finding:
    """The first broken promise, if any, and after how much it was found."""

    promise: str
    text: str
    after: str


def main(name: str) -> int:
    """Try one sabotage by its name."""
    sabotage = named()[name]
    try:
        began_s = time.process_time()
        finding = found(sabotage)
    except NoSuchText as error:
        sys.stderr.write(f"{name}: {error}\n")
        return NOTHING_TO_REWRITE
    seconds = round(time.process_time() - began_s, 1)
    facts = {
        "name": name,
        "promise": finding.promise,
        "text": finding.text,
        "after": finding.after,
        "seconds": seconds,
    }
    sys.stdout.write(json.dumps(facts) + "\n")
    return NOTICED if finding.promise else UNNOTICED


def found(sabotage: Sabotage) -> Finding:
    """Rewrite, look, and make sure that what was looked at was rewritten."""
    rewriter = install(sabotage.edits)
    finding = looked(sabotage.search)
    rewriter.check()
    return finding


def looked(search: Search) -> Finding:
    """Look where the sabotage says."""
    match search:
        case Seeds():
            return _simulated(search)
        case Explored():
            return _explored(search)


def _simulated(search: Seeds) -> Finding:
    from dnsplan.errors import BrokenInvariant
    from tests.simulation.profiles import PROFILES
    from tests.simulation.world import run

    if search.stack:
        os.environ.update(_AWS)
    for seed in range(1, search.most + 1):
        after = f"{seed} schedules" if seed > 1 else "1 schedule"
        try:
            report = run(seed, profile=PROFILES[search.profile], stack=search.stack)
        except BrokenInvariant as error:
            return Finding(ENDED_BY_A_CHECK, f"a process ended: {error}", after)
        if report.promise:
            return Finding(report.promise, report.broken, after)
    return Finding("", "", f"{search.most} schedules")


def _explored(search: Explored) -> Finding:
    from dnsplan.errors import BrokenInvariant
    from tests.simulation.explorer.bounds import explored, named
    from tests.simulation.explorer.promises import Broken

    try:
        bound = named()[search.bound]
        late = bound.faults.late if search.late is None else search.late
        bound = replace(bound, faults=bound.faults._replace(late=late))
        report = explored(bound, states_max=search.states_max).report
    except Broken as broken:
        return Finding(broken.promise, str(broken), "the first schedule")
    after = f"{report.states:,} states"
    if report.found is None:
        return Finding("", "", after)
    cause = report.found.broken.__cause__
    if cause is not None and not isinstance(cause, BrokenInvariant):
        raise cause  # the sabotage itself is broken
    return Finding(report.found.broken.promise, str(report.found.broken), after)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
