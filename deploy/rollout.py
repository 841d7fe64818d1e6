"""Rolls the stacks out in order, one availability zone at a time, and stops when an alarm rings.

It makes or updates stacks and waits; it never deletes one, and never touches a DNS record. Before
an AZ and for a bake time after it, the alarms have to be quiet; a ring, a stack that fails or one
that takes too long stops the roll-out, and the AZs that are not yet reached stay as they are.
Run it with any Python that has boto3; the same command again goes on where it stopped.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STACKS = Path(__file__).parent / "stacks"
FIRST = ("table", "alarms", "roles", "dashboard")
# Whose exports a stack takes, by the parameter that names it.
TAKES = {
    "roles": {"TableStack": "table", "AlarmsStack": "alarms"},
    "dashboard": {"TableStack": "table", "AlarmsStack": "alarms"},
    "az": {"AlarmsStack": "alarms", "RolesStack": "roles"},
}
LOOK_EVERY_S = 15.0
# An AZ's machine has fifteen minutes to start its units; then its stack goes back by itself.
STACK_WITHIN_S = 40 * 60.0
EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED = 1, 2, 3


class Stopped(Exception):
    """The roll-out ends here; the text says what was seen and what to look at."""


@dataclass(frozen=True, slots=True)
class Step:
    """One stack. `az`: the AZ whose machine it is, None for those that come first."""

    stack: str
    template: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    az: str | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited, and how."""

    bake_s: float
    look_every_s: float
    now_s: Callable[[], float]
    sleep: Callable[[float], None]


def steps(
    prefix: str, shared: Mapping[str, Mapping[str, str]], azs: Sequence[Mapping[str, str]]
) -> Iterator[Step]:
    """Every stack in the order in which each finds what the ones before it export.

    Each takes from stacks of the same prefix, so that one deployment is never granted another's
    table; and the dashboard shows the AZs that are rolled out. What is stated goes before both.
    """
    taken = {
        name: {parameter: f"{prefix}-{one}" for parameter, one in TAKES[name].items()}
        for name in TAKES
    }
    shared = {**shared, **{name: {**taken[name], **shared.get(name, {})} for name in TAKES}}
    if azs:
        looked_at = {"Azs": ",".join(one["Az"] for one in azs)}
        shared = {**shared, "dashboard": {**looked_at, **shared.get("dashboard", {})}}
    for name in FIRST:
        yield Step(f"{prefix}-{name}", name, shared.get(name, {}))
    for parameters in azs:
        az = parameters["Az"]
        yield Step(f"{prefix}-{az}", "az", {**shared.get("az", {}), **parameters}, az)


class Rollout:
    """One run. `template`: the text of a stack's template; `watched`: prefix of alarms' names."""

    def __init__(
        self,
        cloudformation: Any,
        cloudwatch: Any,
        patience: Patience,
        *,
        template: Callable[[str], str],
        watched: str,
        tell: Callable[[str], None],
    ) -> None:
        """Nothing is asked yet."""
        self._stacks = cloudformation
        self._alarms = cloudwatch
        self._patience = patience
        self._template = template
        self._watched = watched
        self._tell = tell

    def run(self, wanted: Iterable[Step]) -> None:
        """Go through all steps, or raise Stopped."""
        baked: list[str] = []
        for step in wanted:
            if step.az is not None and baked:
                self._stop_if_ringing(f"before {step.az}")
            changed = self._deploy(step)
            self._tell(f"{step.stack}: {'done' if changed else 'nothing to do'}")
            if step.az is not None:
                self._bake(step.az, is_first=not baked, changed=changed)
                baked.append(step.az)

    def _deploy(self, step: Step) -> bool:
        request = {
            "StackName": step.stack,
            "TemplateBody": self._template(step.template),
            "Parameters": [
                {"ParameterKey": key, "ParameterValue": value}
                for key, value in sorted(step.parameters.items())
            ],
            "Capabilities": ["CAPABILITY_NAMED_IAM"],
        }
        is_new = self._described(step.stack) is None
        send = self._stacks.create_stack if is_new else self._stacks.update_stack
        try:
            send(**request)
        except self._stacks.exceptions.ClientError as error:
            if "No updates are to be performed" in str(error):
                return False
            raise Stopped(f"{step.stack}: {error}") from error
        self._wait(step.stack)
        return True

    def _described(self, stack: str) -> Mapping[str, Any] | None:
        try:
            [found] = self._stacks.describe_stacks(StackName=stack)["Stacks"]
        except self._stacks.exceptions.ClientError as error:
            if "does not exist" in str(error):
                return None
            raise Stopped(f"{stack}: {error}") from error
        described: Mapping[str, Any] = found
        return described

    def _wait(self, stack: str) -> None:
        until_s = self._patience.now_s() + STACK_WITHIN_S
        while True:
            status = str((self._described(stack) or {}).get("StackStatus", "gone"))
            if status in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
                return
            if not status.endswith("_IN_PROGRESS"):
                raise Stopped(f"{stack} is {status}: {self._reason(stack)}")
            if self._patience.now_s() > until_s:
                raise Stopped(f"{stack} is {status} after {STACK_WITHIN_S:g} s; look at its events")
            self._patience.sleep(self._patience.look_every_s)

    def _reason(self, stack: str) -> str:
        events = self._stacks.describe_stack_events(StackName=stack)["StackEvents"]
        failed = [one for one in events if str(one.get("ResourceStatus")).endswith("_FAILED")]
        if not failed:
            return "its events name no failed resource"
        first = failed[-1]
        return f"{first['LogicalResourceId']}: {first.get('ResourceStatusReason', 'no reason')}"

    def _bake(self, az: str, *, is_first: bool, changed: bool) -> None:
        """Watch the alarms. The first AZ's may ring at the beginning: a sentinel that has never
        counted is silence, and silence rings; but it has to be quiet at the end."""
        until_s = self._patience.now_s() + (self._patience.bake_s if changed else 0.0)
        while self._patience.now_s() < until_s:
            if not is_first:
                self._stop_if_ringing(f"while {az} bakes")
            self._patience.sleep(self._patience.look_every_s)
        self._stop_if_ringing(f"after {az}")
        self._tell(f"{az}: quiet")

    def _stop_if_ringing(self, when: str) -> None:
        pages = self._alarms.get_paginator("describe_alarms").paginate(
            AlarmNamePrefix=self._watched
        )
        alarms = [one for page in pages for one in page["MetricAlarms"]]
        if not alarms:
            raise Stopped(
                f"{when}: no alarm {self._watched}*: nothing would say that it goes wrong"
            )
        ringing = sorted(one["AlarmName"] for one in alarms if one["StateValue"] != "OK")
        if ringing:
            raise Stopped(
                f"{when}: {', '.join(ringing)} not OK; the AZs after it stay as they are. Look:"
                " dns-runbook status. To go on, run the same command again"
            )


def main(arguments: Sequence[str]) -> int:
    """Read the options, roll out, and give the exit code."""
    options = _parser().parse_args(arguments)
    import boto3

    patience = Patience(options.bake_min * 60.0, options.look_every_s, time.monotonic, time.sleep)
    rollout = Rollout(
        boto3.client("cloudformation"),
        boto3.client("cloudwatch"),
        patience,
        template=lambda name: (STACKS / f"{name}.yaml").read_text(),
        watched=options.watched,
        tell=lambda line: print(line, flush=True),  # noqa: T201 - what a person waits for
    )
    shared: dict[str, dict[str, str]] = {}
    for text in options.set:
        where, _, value = text.partition("=")
        template, _, key = where.partition(".")
        shared.setdefault(template, {})[key] = value
    azs = [
        {"Az": az, "Subnet": subnet} for az, _, subnet in (one.partition("=") for one in options.az)
    ]
    try:
        rollout.run(steps(options.prefix, shared, azs))
    except Stopped as stopped:
        sys.stderr.write(f"stopped: {stopped}\n")
        return EXIT_STOPPED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="deploy/rollout.py", description=__doc__)
    parser.add_argument("--prefix", default="dnsplan", help="what the stacks' names begin with")
    parser.add_argument(
        "--set", action="append", default=[], metavar="TEMPLATE.PARAMETER=VALUE",
        help="a parameter, as roles.ZoneArns=arn:aws:route53:::hostedzone/Z1; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--az", action="append", default=[], metavar="AZ=SUBNET", help="in the order to go in"
    )
    parser.add_argument("--bake-min", type=float, default=30.0, help="minutes to watch each AZ for")
    parser.add_argument("--look-every-s", type=float, default=LOOK_EVERY_S)
    parser.add_argument("--watched", default="dnsplan-", help="prefix of the alarms to watch")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
