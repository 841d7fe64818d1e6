"""What a running planner takes up of another config, and what it is started with.

Pace and addresses are taken when a process starts; all that says what zones should hold counts at
once.
"""

from functools import partial

from dnsplan.ports import Clock
from dnsplan.runtime.config.changing import why_not
from dnsplan.runtime.config.rereading import ConfigFiles
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.reloading import Reloading, Whose
from planner.outlook import Outlook
from planner.settings import planner_settings

AT_START = (
    "planner",
    "status",
    "sentinel",  # its alarms are the planner's where `paging` names none
    "paging",
    "account_requests_per_s",
    "state_dir",
    "signing",
)


def reloading_for(
    files: ConfigFiles, outlook: Outlook, *, clock: Clock, az: str | None
) -> Reloading:
    """The outlook was made of what was read from these files."""
    whose = Whose("planner", AT_START, partial(why_not, az=az), "dns-planner plan")
    made = Reloading(files, clock=clock, whose=whose)

    def take(settings: Settings) -> None:
        outlook.take(planner_settings(settings))

    made.takers.append(take)
    return made
