"""Judges credentials, clock and the share of requests. Pure: facts and config in, findings out."""

from collections.abc import Iterator, Mapping

from dnsplan.errors import Problem
from dnsplan.runtime.bucket import share_of_account
from dnsplan.runtime.config.schema import Settings
from enactor.rules.stagger import fence_check_every_s
from planner.rules.probe_rate import SETTING, probe_rate
from planner.settings import planner_settings
from runbooks.preflight.facts import Caller, Read, Unseen
from runbooks.preflight.findings import Finding, fine, refused, unread, warning

# AWS's answer bears whole seconds and was on its way for a while; more than this is the clock.
SKEW_WARNED_S = 5.0
# AWS refuses signatures five minutes off; a clock that is four off gets there.
SKEW_REFUSED_S = 240.0
# Route 53's quota for an account: five requests a second, unless AWS raised it.
ACCOUNT_PER_S = 5.0
# Fences that are read less often than twice the setting are no longer what was set.
STRETCH_WARNED = 2.0

MAKE_KEYS = "make keys: dns-runbook keys planner-1 planner-1.key"
SYNC = "let chrony or systemd-timesyncd set the clock: timedatectl set-ntp true"


def judge_caller(caller: Read[Caller]) -> Iterator[Finding]:
    """Whose credentials, and whether the clock agrees with AWS's."""
    if isinstance(caller, Unseen):
        todo = (
            "look at AWS_PROFILE, AWS_CONFIG_FILE and the way to STS: aws sts get-caller-identity"
        )
        yield unread("credentials", "account", caller.why, todo)
        return
    yield fine("credentials", "account", caller.arn)
    if caller.ahead_s is None:
        yield unread("clock", "this machine", "AWS's answer bore no date", SYNC)
        return
    yield _clock(caller.ahead_s)


def _clock(ahead_s: float) -> Finding:
    word = "ahead of" if ahead_s > 0 else "behind"
    found = f"{abs(ahead_s):.0f} s {word} AWS's"
    if abs(ahead_s) >= SKEW_REFUSED_S:
        return refused("clock", "this machine", f"{found}; AWS refuses 300 s", SYNC)
    if abs(ahead_s) > SKEW_WARNED_S:
        return warning("clock", "this machine", f"{found}; allowed: {SKEW_WARNED_S:g} s", SYNC)
    return fine("clock", "this machine", f"within {SKEW_WARNED_S:g} s of AWS's")


def judge_probing(settings: Settings) -> Iterator[Finding]:
    """Whether a planner may ask the stated targets as often as their intervals say. Those that
    sources name are known to the running planner alone."""
    wanted = planner_settings(settings)
    rate = probe_rate(wanted.watched, allowed_per_s=wanted.probes_per_s_max)
    if not rate.targets:
        return
    if rate.is_enough:
        text = f"{rate.wanted_per_s:.4g} of {rate.allowed_per_s:g} a second, for stated targets"
        yield fine("probe rate", SETTING, text)
        return
    todo = f"set {SETTING} to {rate.should_be}, or lengthen interval_s of the largest pools"
    yield warning("probe rate", SETTING, str(rate), todo)


def judge_signing(settings: Settings, troubles: Mapping[str, Problem]) -> Iterator[Finding]:
    """Whether whoever may write the table decides what names answer, and whether the keys whose
    secrets are on this machine can sign."""
    for key_id, problem in sorted(troubles.items()):
        found = f"{problem.file}: {problem.found}"
        yield refused("signing", f"signing.keys.{key_id}", found, f"allowed: {problem.allowed}")
    section = settings.signing
    if section is None:
        found = "not stated: whoever may write the table decides what names answer"
        yield warning("signing", "signing", found, f"{MAKE_KEYS}; or signing: {{unsigned: accept}}")
    elif section.unsigned == "accept":
        found = "unsigned: accept: what nobody signed is taken for a plan"
        yield warning("signing", "signing.unsigned", found, "hold, once every head is signed")
    elif not troubles:
        yield fine("signing", "signing", f"{len(section.keys)} keys are listed")


def judge_pace(settings: Settings) -> Iterator[Finding]:
    """Whether the requests that are set suffice for the zones, and are there to be had."""
    rate = settings.account_requests_per_s
    if rate > ACCOUNT_PER_S:
        found = f"{rate:g} requests a second; an account has {ACCOUNT_PER_S:g} unless AWS raised it"
        todo = "lower account_requests_per_s, or make sure that AWS raised the quota"
        yield warning("request rate", "account_requests_per_s", found, todo)
    share = share_of_account(rate, len(settings.azs)).per_s
    zones, wanted_s = len(settings.zones), settings.enactor.fence_check_s
    every_s = fence_check_every_s(wanted_s, zones=zones, requests_per_s=share)
    found = (
        f"{share:.2g} requests a second for each of {len(settings.azs)} AZs; fences of {zones}"
        f" zones are read each {every_s:.0f} s"
    )
    if every_s > STRETCH_WARNED * wanted_s:
        todo = (
            "ask AWS for a higher rate and raise account_requests_per_s, divide the zones among"
            " accounts (role_arn), or raise enactor.fence_check_s to what it will be"
        )
        yield warning("request share", "enactor", f"{found}, not {wanted_s:g} s", todo)
    else:
        yield fine("request share", "enactor", found)
