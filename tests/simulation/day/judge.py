"""Judges every plan of a day by what truly is, with arithmetic of its own and no product rule.

It breaks a promise where a name is empty or under its floor, where more is taken out in a window
than allowed, where somebody is taken out whom nothing truly ails and two vantage points reach,
where plans or changes of one target come too often, and where plans pile up that nobody applies.
"""

from collections import Counter
from dataclasses import dataclass, field

from dnsplan.codec import Envelope, unseal
from dnsplan.plan import Plan
from dnsplan.records import Weighted
from planner.rules.probing import Good
from tests.simulation.day.truth import AZS, SERVES_ON_S, Truth, web_targets

MIN_TARGETS, SHARE, WINDOW_S = 3, 0.25, 300
# A row of three bad looks, a majority of three planners that look each ten seconds, and what
# velocity withholds for a window or two.
EXCUSED_S = 900
HOLD_S = 60
FLIPS_A_MIN = 2
FLIPS_AN_HOUR = 20
PLANS_AN_HOUR = 60
# So many plans that are not applied are more than three minutes of plans at full pace; from there
# on one a minute is let through, whoever plans.
PILED_UP, PILED_APART_S = 20, 59
SICK_S = 1_500
WEB, FLEET = "web.shop.example.", "fleet.shop.example."
# A fleet that is being replaced has some of the old and of the new at once.
TARGETS_MOST = {WEB: 12, FLEET: 16}


class BrokenPromise(Exception):
    """What broke, and when."""


@dataclass(slots=True)
class Judge:
    """One day's judge, and the figures of the day."""

    truth: Truth
    heads: list[float] = field(default_factory=list)
    now: dict[str, dict[str, int]] = field(default_factory=dict)
    removed: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    flips: dict[str, list[float]] = field(default_factory=dict)
    digest: str = ""
    fewest: int = 1_000
    most_removed: int = 0
    most_behind: int = 0
    sick_looks: int = 0
    looks: int = 0

    def heard(self, envelope: Envelope, now_s: float, *, behind: int) -> None:
        """The newest plan at this moment, and how many before it are not applied."""
        if envelope.plan_id.digest == self.digest:
            return
        self.digest = envelope.plan_id.digest
        self.most_behind = max(self.most_behind, behind)
        if behind >= PILED_UP and now_s - self.heads[-1] < PILED_APART_S:
            self._break(now_s, f"{behind} plans wait, and one more comes too soon")
        self.heads.append(now_s)
        plan = unseal(envelope)
        after = {name: _answers(plan, name) for name in (WEB, FLEET)}
        for name, there in after.items():
            self._name(name, self.now.get(name, {}), there, now_s)
        self.now = after
        if self._since(self.heads, now_s, 3_600) > PLANS_AN_HOUR:
            self._break(now_s, f"more than {PLANS_AN_HOUR} plans in an hour")

    def looked(self, now_s: float) -> None:
        """A step of the day is over: whoever is long dead answers no more."""
        for name, there in self.now.items():
            ill = [one for one in there if not self.truth.is_well(one, now_s)]
            self.looks += len(there)
            self.sick_looks += len(ill)
            for one in ill:
                if self._is_long_dead(one, now_s) and len(ill) <= len(there) * SHARE:
                    self._break(now_s, f"{one} of {name} is dead for {SICK_S} s and answers")

    def ended(self) -> None:
        """After the calm all that is well answers with its whole weight, and nobody else."""
        end_s = float(self.truth.length_s)
        for name, wanted in (
            (WEB, {address for _, _, address in web_targets()}),
            (FLEET, {one.address for one in self.truth.hosts(end_s)}),
        ):
            if set(self.now[name]) != wanted:
                self._break(end_s, f"{name} answers {sorted(self.now[name])}, not {sorted(wanted)}")
        if set(self.now[WEB].values()) != {255}:
            self._break(end_s, f"weights after the calm: {self.now[WEB]}")

    def figures(self) -> str:
        """The day in one line."""
        hours = [self._since(self.heads, at, 3_600) for at in self.heads]
        flips = max((len(one) for one in self.flips.values()), default=0)
        return (
            f"{len(self.heads)} plans, at most {max(hours, default=0)} an hour; at least"
            f" {self.fewest} answers a name; at most {self.most_removed} of 12 taken out in"
            f" {WINDOW_S} s; at most {self.most_behind} plans waited; the target that changed most"
            f" did so {flips} times;"
            f" {100 * self.sick_looks / max(1, self.looks):.2f} % of answers were sick"
        )

    def _name(self, name: str, before: dict[str, int], after: dict[str, int], now_s: float) -> None:
        if not after:
            self._break(now_s, f"{name} is empty")
        self.fewest = min(self.fewest, len(after))
        if before and len(after) < min(MIN_TARGETS, len(before)):
            self._break(now_s, f"{name} is left with {len(after)}")
        if not before:
            return
        gone = before.keys() - after.keys()
        for one in sorted(gone):
            if not self._is_excused(name, one, now_s):
                self._break(now_s, f"{one} of {name} was taken out, and is well")
        self._slowly(name, len(gone), now_s)
        for one in sorted(gone | (after.keys() - before.keys())):
            self._seldom(name, one, now_s)

    def _slowly(self, name: str, gone: int, now_s: float) -> None:
        history = self.removed.setdefault(name, [])
        if gone:
            history.append((now_s, gone))
        spent = sum(count for at_s, count in history if at_s > now_s - WINDOW_S + 2)
        self.most_removed = max(self.most_removed, spent)
        if spent > int(SHARE * TARGETS_MOST[name]):
            self._break(now_s, f"{spent} of {name} were taken out in {WINDOW_S} s")

    def _seldom(self, name: str, one: str, now_s: float) -> None:
        flips = self.flips.setdefault(f"{name} {one}", [])
        flips.append(now_s)
        for within_s, most in ((60, FLIPS_A_MIN), (3_600, FLIPS_AN_HOUR)):
            if self._since(flips, now_s, within_s) > most:
                self._break(
                    now_s, f"{one} of {name} changed more than {most} times in {within_s} s"
                )

    def _is_excused(self, name: str, one: str, now_s: float) -> bool:
        """It was truly ill, or two vantage points did not reach it, or it left the fleet."""
        if name == FLEET and self._has_left(one, now_s):
            return True
        return any(self._is_doubted(one, now_s - back) for back in range(EXCUSED_S + 1))

    def _is_doubted(self, one: str, at_s: float) -> bool:
        if not self.truth.is_well(one, at_s):
            return True
        reached = Counter(
            isinstance(self.truth.probe(az, one, at_s), Good)
            for az in AZS
            if not self.truth.is_gone(az, at_s)
        )
        return reached[False] >= 2

    def _has_left(self, one: str, now_s: float) -> bool:
        host = next(host for host in self.truth.fleet if host.address == one)
        return host.leaves_s + HOLD_S <= now_s

    def _is_long_dead(self, one: str, now_s: float) -> bool:
        spells = [spell for spell in self.truth.dead if one in spell.whom and not spell.up_s]
        host = next((host for host in self.truth.fleet if host.address == one), None)
        ended_s = float("inf") if host is None else host.leaves_s + SERVES_ON_S
        return now_s - ended_s > SICK_S or any(
            spell.from_s + SICK_S <= now_s < spell.until_s for spell in spells
        )

    def _since(self, times: list[float], now_s: float, within_s: float) -> int:
        return sum(now_s - within_s < at_s <= now_s for at_s in times)

    def _break(self, now_s: float, what: str) -> None:
        raise BrokenPromise(f"at {now_s:.0f} s: {what}")


def _answers(plan: Plan, name: str) -> dict[str, int]:
    """Addresses that a name answers, with their weights."""
    return {
        value: one.routing.weight if isinstance(one.routing, Weighted) else 255
        for one in plan.content
        if one.name == name
        for value in one.values
    }
