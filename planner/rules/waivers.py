"""What a waiver changes in how a candidate is made: the limits of pools, for one plan. Pure.

The guardrails judge the plan all the same, and let pass only what its waivers name. That no name
is left without answers is nobody's to waive: at least one target stays.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from msgspec import structs

from dnsplan.guardrails import FLOOR, UNWAIVABLE, VELOCITY
from dnsplan.plan import Waiver
from dnsplan.velocity import VelocityLimit
from dnsplan.violation import Violation
from planner.rules.candidate import ZoneWish

# Of any pool that a zone can hold, this share is all of it, whatever went in the window before.
SHARE_OF_ALL = 1e6


def lifted(wish: ZoneWish, waivers: Iterable[Waiver]) -> ZoneWish:
    """The wish with the limits of its pools lifted as far as waivers name them."""
    rules = {one.rule for one in waivers}
    if not rules:
        return wish
    driven = tuple(replace(unit, limit=lifted_limit(unit.limit, rules)) for unit in wish.driven)
    return replace(wish, driven=driven)


def lifted_limit(limit: VelocityLimit, rules: Collection[str]) -> VelocityLimit:
    """One limit without these rules; a rule that nobody may waive changes nothing."""
    return structs.replace(
        limit,
        min_targets=1 if FLOOR in rules else limit.min_targets,
        max_removed_share=SHARE_OF_ALL if VELOCITY in rules else limit.max_removed_share,
    )


def waivers_for(violations: Iterable[Violation]) -> tuple[str, ...]:
    """How to let a refused plan pass once, rule by rule; none where a rule is nobody's to waive."""
    broken = sorted({(one.zone, one.rule) for one in violations})
    if any(rule in UNWAIVABLE for _, rule in broken):
        return ()
    return tuple(
        f"to let it pass once: dns-runbook waive {label} {rule} --because TEXT"
        for label, rule in broken
    )


def in_words(waivers: Iterable[Waiver]) -> str:
    """For the plan's reason; empty without any."""
    return "".join(f"; {one.rule} waived by {one.by}: {one.because}" for one in waivers)
