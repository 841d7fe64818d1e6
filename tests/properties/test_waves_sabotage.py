"""Each guard of a wave, taken out of the rule's source, breaks a law on one of the same days.

The judge keeps books of its own: who went when, what was applied and what spoke against whom.
"""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from planner.rules import waves as product
from tests.simulation.sabotage.rewriting import rewritten
from tests.simulation.sabotage.sabotage import Edit

PATH = Path(str(product.__file__))
LABELS = tuple("abcdef")
BAKE_S, WINDOW_S, PASS_S, PASSES = 40.0, 30.0, 5.0, 90
DAYS = 60


@dataclass
class Day:
    """What befalls some zones, drawn from a seed."""

    chance: Random
    canaries: tuple[str, ...] = ()
    per_window: int = 1
    turned_s: dict[str, float] = field(default_factory=dict)
    applied_s: dict[str, float] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Canaries, a limit, and one trouble that begins some time and lasts for six passes."""
        self.canaries = tuple(self.chance.sample(LABELS, self.chance.randint(0, 2)))
        self.per_window = self.chance.randint(1, 3)
        self.trouble_at = self.chance.randint(0, 20)
        self.who = self.chance.choice(LABELS)
        self.silent_at = self.chance.randint(0, 20)
        self.back = self.chance.choice(LABELS) if self.chance.random() < 0.2 else ""

    def against(self, number: int) -> str:
        """Whom something speaks against now: only who had a turn."""
        is_on = self.who in self.turned_s and 0 <= number - self.trouble_at < 6
        return self.who if is_on else ""

    def is_silent(self, number: int) -> bool:
        """Whether the sentinel does not say that all is well."""
        return 0 <= number - self.silent_at < 6

    def went(self, label: str, number: int, against: str) -> None:
        """Judge one zone's turn by what was true when the pass began."""
        now_s = number * PASS_S
        lately = [at for at in self.turned_s.values() if now_s - at < WINDOW_S]
        unbaked = [
            one
            for one in self.canaries
            if one not in self.turned_s
            or now_s - self.turned_s[one] < BAKE_S
            # Applied a while after its turn, and it is from there on that it holds the change.
            or now_s < self.applied_s[one]
        ]
        laws = {
            "window": len(lately) < self.per_window,
            "canaries": label in self.canaries or not unbaked,
            "stop": against in ("", label),
            "silence": not self.is_silent(number),
            "once": label not in self.turned_s,
        }
        if label != self.back:
            self.broken += [law for law, kept in laws.items() if not kept]
        self.turned_s[label] = now_s
        self.applied_s[label] = now_s + self.chance.uniform(0, 80)


def states(day: Day, rules: Any, number: int) -> list[Any]:
    """As a pass sees the zones."""
    now_s = number * PASS_S
    return [
        rules.ZoneState(
            label=label,
            waits=label not in day.turned_s,
            goes_back=label == day.back and label not in day.turned_s,
            age_s=None if label not in day.turned_s else now_s - day.turned_s[label],
            is_applied=label not in day.turned_s or day.applied_s[label] <= now_s,
            against="it is empty" if label == day.against(number) else "",
        )
        for label in LABELS
    ]


def played(rules: Any) -> list[str]:
    """Every law that was broken on some day, by this rule."""
    broken: set[str] = set()
    for seed in range(DAYS):
        day = Day(Random(f"wave {seed}"))
        waves = rules.Waves(
            canaries=day.canaries,
            bake_s=BAKE_S,
            zones_per_window=day.per_window,
            window_s=WINDOW_S,
        )
        for number in range(PASSES):
            against = day.against(number)
            silent = "no answer" if day.is_silent(number) else ""
            given = rules.leaves(states(day, rules, number), waves, silent=silent)
            for label, leave in given.items():
                if isinstance(leave, rules.Go):
                    day.went(label, number, against)
                elif label == day.back:
                    broken.add("the way back")
        broken |= set(day.broken)
        if len(day.turned_s) < len(LABELS):
            broken.add("end")
    return sorted(broken)


SABOTAGES = {
    "bake for no time": (
        Edit("", "canary.age_s < self._waves.bake_s", "False"),
        ["canaries"],
    ),
    "take what was sent for applied": (
        Edit("", "if not canary.is_applied:", "if False:"),
        ["canaries"],
    ),
    "let all go with the canaries": (
        Edit("", "        if canary.waits:\n", "        if False:\n"),
        ["canaries"],
    ),
    "go on whatever befell a changed zone": (
        Edit("", "if one.label != zone.label:", "if False:"),
        ["stop"],
    ),
    "go on where nobody says that all is well": (
        Edit(
            "", "is_stopped=True) if self._silent else None", "is_stopped=True) if False else None"
        ),
        ["silence"],
    ),
    "let go whoever waits": (
        Edit("", "if len(self._ages) < waves.zones_per_window:", "if True:"),
        ["window"],
    ),
    "forget who went in this pass": (Edit("", "        self._ages.append(0.0)\n", ""), ["window"]),
    "let what goes back wait": (
        Edit("", "        if zone.goes_back:\n", "        if False:\n"),
        ["end", "the way back"],
    ),
}


def test_the_rule_keeps_every_law() -> None:
    """What is noticed below is the sabotage, and not the days."""
    assert played(product) == []


@pytest.mark.parametrize("name", SABOTAGES)
def test_each_guard_that_is_taken_away_is_missed(name: str) -> None:
    """On the same days, by the same judge."""
    edit, laws = SABOTAGES[name]
    rules = ModuleType("planner.rules.waves_sabotaged")
    exec(compile(rewritten(PATH.read_text(), [edit]), str(PATH), "exec"), vars(rules))
    assert played(rules) == laws
