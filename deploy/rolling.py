"""Stacks in order, one availability zone at a time: deploy, wait, watch the alarms, go on or stop.

Before an AZ and for a bake time after it the alarms have to be quiet. Only where no AZ stands yet
may they ring before it, since nobody counts there. Nothing here deletes a stack.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deploy.stack_order import Step

# An AZ's machine has fifteen minutes to start its units; then its stack goes back by itself.
STACK_WITHIN_S = 40 * 60.0
# New alarms have no data at first, and a new deployment's ring until a sentinel counts.
QUIET_WITHIN_S = 15 * 60.0
# States in which CloudFormation takes no update, with the way out. Nothing was kept in those that
# are deleted, since they never stood; a person does it, as this deletes nothing.
_DELETE = (
    "it never stood; aws cloudformation delete-stack --stack-name {}, and the log group of an AZ,"
    " once read, since it is kept and its name taken: aws logs delete-log-group --log-group-name"
    " /dnsplan/AZ"
)
WAYS_OUT = {
    "CREATE_FAILED": _DELETE,
    "ROLLBACK_COMPLETE": _DELETE,
    "ROLLBACK_FAILED": _DELETE,
    "REVIEW_IN_PROGRESS": _DELETE,
    "DELETE_IN_PROGRESS": "wait: aws cloudformation wait stack-delete-complete --stack-name {}",
    "DELETE_FAILED": "aws cloudformation delete-stack --stack-name {}",
    "UPDATE_ROLLBACK_FAILED": "aws cloudformation continue-update-rollback --stack-name {}",
}


class Stopped(Exception):
    """The roll-out ends here; the text says what was seen and what to look at."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited, and how. `now_s`: seconds since 1970, as stacks' events have them."""

    bake_s: float
    look_every_s: float
    now_s: Callable[[], float]
    sleep: Callable[[float], None]


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

    def run(self, wanted: Iterable[Step], *, mends: bool = False) -> None:
        """Go through all steps, or raise Stopped. `mends`: the alarms may ring until the first AZ
        has changed, since it brings what ends that."""
        plan = list(wanted)
        states = {one.stack: self._state(one.stack) for one in plan}
        stand = {states[one.stack] for one in plan if one.az is not None}
        may_ring = mends or stand <= {None, "CREATE_IN_PROGRESS"}
        for step in plan:
            if self._finish(step.stack) and step.az is not None:
                self._settle(step.az, may_ring=may_ring)
            if step.az is not None and not may_ring:
                self._stop_if_ringing(f"before {step.az}")
            changed = self._deploy(step)
            self._tell(f"{step.stack}: {'done' if changed else 'nothing to do'}")
            if step.az is not None:
                may_ring = self._watch(step.az, step.stack, changed=changed, may_ring=may_ring)

    def _state(self, stack: str) -> str | None:
        """Its state, None where there is none, or Stopped in one that takes no update."""
        found = self._described(stack)
        state = None if found is None else str(found["StackStatus"])
        if state in WAYS_OUT:
            raise Stopped(
                f"{stack} is {state}, and takes no update; first: {WAYS_OUT[state].format(stack)}"
            )
        return state

    def _finish(self, stack: str) -> bool:
        """Wait for what an interrupted run, or another, left under way; whether there was any."""
        state = self._state(stack)
        if state is None or not state.endswith("_IN_PROGRESS"):
            return False
        self._tell(f"{stack}: waiting for what is under way, {state}")
        self._wait(stack)
        return True

    def _deploy(self, step: Step) -> bool:
        template = self._template(step.template)
        found = self._described(step.stack)
        kept = [] if found is None else self._kept(step, template, found)
        if kept:
            self._tell(f"{step.stack}: {', '.join(kept)} not stated, and stays as it was")
        request = {
            "StackName": step.stack,
            "TemplateBody": template,
            "Parameters": [
                {"ParameterKey": key, "ParameterValue": value}
                for key, value in sorted(step.parameters.items())
            ]
            + [{"ParameterKey": key, "UsePreviousValue": True} for key in kept],
            "Capabilities": ["CAPABILITY_NAMED_IAM"],
        }
        send = self._stacks.create_stack if found is None else self._stacks.update_stack
        try:
            send(**request)
        except self._stacks.exceptions.ClientError as error:
            if "No updates are to be performed" in str(error):
                return False
            if error.response["Error"]["Code"] != "ValidationError":
                raise
            raise Stopped(f"{step.stack}: {error}") from error
        self._wait(step.stack)
        return True

    def _kept(self, step: Step, template: str, found: Mapping[str, Any]) -> list[str]:
        """The parameters that were stated once and are not now. CloudFormation would take each
        back to its default: the address that is paged, or the names that may be written."""
        takes = self._defaults(TemplateBody=template)
        stood = self._defaults(StackName=step.stack)
        return sorted(
            one["ParameterKey"]
            for one in found.get("Parameters", ())
            if (key := one["ParameterKey"]) in takes
            and key not in step.parameters
            and one["ParameterValue"] != stood.get(key)
        )

    def _defaults(self, **of: str) -> dict[str, str | None]:
        summary = self._stacks.get_template_summary(**of)
        return {one["ParameterKey"]: one.get("DefaultValue") for one in summary["Parameters"]}

    def _described(self, stack: str) -> Mapping[str, Any] | None:
        try:
            [found] = self._stacks.describe_stacks(StackName=stack)["Stacks"]
        except self._stacks.exceptions.ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        described: Mapping[str, Any] = found
        return described

    def _wait(self, stack: str) -> None:
        until_s = self._patience.now_s() + STACK_WITHIN_S
        while True:
            status = str((self._described(stack) or {}).get("StackStatus", "gone"))
            if status in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
                return
            if not status.endswith("_IN_PROGRESS"):
                first = f"; then: {WAYS_OUT[status].format(stack)}" if status in WAYS_OUT else ""
                raise Stopped(f"{stack} is {status}: {self._reason(stack)}{first}")
            if self._patience.now_s() > until_s:
                raise Stopped(f"{stack} is {status} after {STACK_WITHIN_S:g} s; look at its events")
            self._patience.sleep(self._patience.look_every_s)

    def _reason(self, stack: str) -> str:
        """What failed first since the stack's last change began; older ones are other matters."""
        said = "its events name no failed resource"
        for one in self._events(stack):
            status = one.get("ResourceStatus")
            if one.get("LogicalResourceId") == stack and status in {
                "CREATE_IN_PROGRESS",
                "UPDATE_IN_PROGRESS",
            }:
                break
            if str(status).endswith("_FAILED"):
                why = one.get("ResourceStatusReason", "no reason")
                said = f"{one['LogicalResourceId']}: {why}"
        return said

    def _events(self, stack: str) -> Iterator[Mapping[str, Any]]:
        """Newest first."""
        pages = self._stacks.get_paginator("describe_stack_events").paginate(StackName=stack)
        for page in pages:
            yield from page["StackEvents"]

    def _watch(self, az: str, stack: str, *, changed: bool, may_ring: bool) -> bool:
        """Bake one AZ; whether the alarms may still ring before the next."""
        if changed:
            self._settle(az, may_ring=may_ring)
        elif may_ring and self._not_ok(f"at {az}"):
            self._tell(f"{az}: as it was, and not quiet; what mends it comes after")
            return True
        self._bake(az, stack)
        return False

    def _settle(self, az: str, *, may_ring: bool) -> None:
        """Wait until the alarms are OK. One that rings is waited for only where it may."""
        until_s = self._patience.now_s() + QUIET_WITHIN_S
        when = f"after {az}"
        while ringing := self._not_ok(when):
            waits = may_ring or "ALARM" not in ringing.values()
            if not waits or self._patience.now_s() >= until_s:
                self._stop_if_ringing(when)
                return
            self._patience.sleep(self._patience.look_every_s)

    def _bake(self, az: str, stack: str) -> None:
        """Watch the alarms until the AZ has stood for the bake time. What an interrupted run did
        not watch is made up: only the time since the stack's last event counts as stood."""
        now_s = self._patience.now_s()
        left_s = self._patience.bake_s - max(0.0, now_s - self._last_event_s(stack))
        until_s = now_s + left_s
        while True:
            self._stop_if_ringing(f"while {az} bakes")
            if self._patience.now_s() >= until_s:
                break
            self._patience.sleep(self._patience.look_every_s)
        self._tell(f"{az}: quiet")

    def _last_event_s(self, stack: str) -> float:
        newest = next(self._events(stack))
        return float(newest["Timestamp"].timestamp())

    def _not_ok(self, when: str) -> dict[str, str]:
        """The alarms that are not OK, with their states."""
        pages = self._alarms.get_paginator("describe_alarms").paginate(
            AlarmNamePrefix=self._watched
        )
        alarms = [one for page in pages for one in page["MetricAlarms"]]
        if not alarms:
            raise Stopped(
                f"{when}: no alarm {self._watched}*: nothing would say that it goes wrong"
            )
        return {one["AlarmName"]: one["StateValue"] for one in alarms if one["StateValue"] != "OK"}

    def _stop_if_ringing(self, when: str) -> None:
        if ringing := self._not_ok(when):
            raise Stopped(
                f"{when}: {', '.join(sorted(ringing))} not OK; the AZs after it stay as they are."
                " Look: dns-runbook status. To go on, run the same command again; --mends goes on"
                " while it rings, for what mends it"
            )
