"""What a running enactor takes up of another config, and what it is started with.

Its zones and how each is treated count at once. What all AZs share (who they are, the account's
rate) and its pace are taken when a process starts.
"""

from functools import partial

from dnsplan.ports import Clock
from dnsplan.runtime.config.changing import why_not
from dnsplan.runtime.config.rereading import ConfigFiles
from dnsplan.runtime.reloading import Reloading, Whose
from enactor.keeping import Keeping
from enactor.page import EnactorPage
from enactor.roster import Roster

RELOAD_EVERY_S = 5.0
AT_START = (
    "azs",
    "enactor",
    "status",
    "sentinel",  # its alarms are the enactor's where `paging` names none
    "paging",
    "account_requests_per_s",
    "state_dir",
    "signing",
)


def reloading_for(
    files: ConfigFiles,
    *,
    clock: Clock,
    az: str,
    roster: Roster,
    keeping: Keeping,
    shown: EnactorPage,
) -> Reloading:
    """All of them were made of what was read from these files."""
    whose = Whose("enactor", AT_START, partial(why_not, az=az), "dns-planner plan")
    made = Reloading(files, clock=clock, whose=whose)
    made.takers += [roster.take, keeping.take, shown.follow]
    shown.page.follow_config(made)
    return made
