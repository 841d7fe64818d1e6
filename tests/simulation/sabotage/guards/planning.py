"""Guards of planner and cleanup: what absence means, how fast targets go, what may be deleted."""

from tests.simulation.sabotage.sabotage import Edit, Explored, Sabotage, Seeds

TRANSITIONS, RETENTION, CLEANUP = (
    "dnsplan.transitions",
    "planner.rules.retention",
    "planner.cleanup",
)
STANDING, CANDIDATE, GUARDRAILS = (
    "planner.rules.standing",
    "planner.rules.candidate",
    "dnsplan.guardrails",
)

_LKG = (
    Edit(RETENTION, "        (item.last_known_good, Keep.LAST_KNOWN_GOOD),\n", ""),
    Edit(TRANSITIONS, '            AtLeast("last_known_good", floor),\n', ""),
)
_APPLIED = (
    Edit(RETENTION, "        (item.applied, Keep.APPLIED),\n", ""),
    Edit(TRANSITIONS, '            AtLeast("applied", floor),\n', ""),
)
_CLAIMED = (
    Edit(RETENTION, "        (item.claimed, Keep.CLAIMED),\n", ""),
    Edit(TRANSITIONS, '            AtLeast("claimed", floor),\n', ""),
)
_PIN = (
    Edit(RETENTION, "named.append((item.pin, Keep.PINNED))", "pass"),
    Edit(TRANSITIONS, '            AbsentOr(AtLeast("pin", floor)),\n', ""),
)
_ALONE = Edit("planner.vantage", "heard(reports, ", "heard((), ")
_NOBODY_WAITS = Edit(
    "planner.pace",
    "if now_s - self._pending_s < wait_s:",
    "if False:",
)
_LIVE = Edit(RETENTION, "named.append((fence.generation, Keep.LIVE))", "pass")
_BASE = Edit(RETENTION, "named.append((fence.base, Keep.BASE))", "pass")

SABOTAGES = (
    Sabotage(
        name="raise the floor without reading the fence",
        breaks=("P5",),
        search=Seeds("rewound", most=150),
        edits=(
            Edit(CLEANUP, "if floor > item.floor and deletable_below(rows, floor):", "if False:"),
        ),
    ),
    Sabotage(
        name="delete before raising the floor",
        breaks=("P5",),
        search=Seeds(),
        edits=(
            Edit(
                CLEANUP,
                "        if floor > item.floor and (lost :=",
                "        await self._delete(item.label, rows, floor)\n"
                "        if floor > item.floor and (lost :=",
            ),
        ),
    ),
    Sabotage(
        name="let the floor pass last known good",
        breaks=("P5",),
        search=Explored("good"),
        edits=_LKG,
    ),
    Sabotage(
        name="let the floor pass the base",
        breaks=("P5",),
        search=Seeds(),
        edits=(_BASE, *_APPLIED, *_LKG),
        covered_by="applied and last known good are never above the base",
    ),
    Sabotage(
        name="let the floor pass the pin",
        breaks=("P5",),
        search=Seeds(),
        edits=(*_PIN, *_CLAIMED, *_APPLIED, *_LKG, _LIVE, _BASE),
        covered_by="nothing above a pin is claimed, and the floor passes no claim",
    ),
    Sabotage(
        name="take a name that config lost for ended",
        breaks=("P8",),
        search=Seeds(),
        edits=(
            Edit(
                CANDIDATE,
                "if fate is not Fate.UNLISTED:\n                ended",
                "if True:\n                ended",
            ),
            Edit("planner.cycle", "        if refused:\n", "        if False:\n"),
        ),
        covered_by="the planner's guardrails refuse the plan",
    ),
    Sabotage(
        name="judge each plan's removals alone",
        breaks=("P7",),
        search=Seeds("rollbacks", most=50),
        edits=(Edit(GUARDRAILS, "        *windows(seen, limits),\n", ""),),
    ),
    Sabotage(
        name="count removals from when a plan was made",
        breaks=("P7",),
        search=Seeds("stalls", most=40),
        edits=(
            Edit(
                STANDING,
                "ledger=ledger_seen(plan, seen_s=seen_s)",
                "ledger={(one.name, one.type): one for one in plan.ledger}",
            ),
            _ALONE,
            _NOBODY_WAITS,
        ),
        covered_by="planners agree on whom to take out, and one of them goes first",
    ),
    Sabotage(
        name="believe in health whatever share is sick",
        breaks=("P8",),
        search=Seeds("blind planners"),
        edits=(
            Edit(
                "planner.rules.panic",
                "return counted > 0 and healthy < threshold * counted",
                "return False",
            ),
            _ALONE,
        ),
        covered_by="the other vantage points outvote a planner without a network",
    ),
    Sabotage(
        name="let panic end with its cause",
        breaks=("P8",),
        search=Seeds("blind alone"),
        edits=(
            Edit(
                "planner.rules.aftermath",
                "own.now_s - at_s < lasts_s.get(pool, 0.0)",
                "own.now_s == at_s",
            ),
        ),
    ),
    Sabotage(
        name="let vantage points in panic make a majority",
        breaks=("P8",),
        search=Seeds("blind together"),
        edits=(
            Edit(
                "planner.rules.vantage",
                "2 * count.bad_sure <= count.of",
                "2 * count.bad <= count.of",
            ),
        ),
    ),
    Sabotage(
        name="take a probe that was not made for a bad one",
        breaks=("P8",),
        search=Seeds("lossy network"),
        edits=(
            Edit(
                "planner.watch",
                "            case NotAsked():\n                return\n",
                "            case NotAsked(detail):\n"
                "                seen = Observation(now_s, healthy=False, detail=detail)\n",
            ),
            _ALONE,
        ),
        covered_by="the other vantage points outvote a planner without a network",
    ),
    Sabotage(
        name="let every vantage point decide alone",
        breaks=("P8",),
        search=Seeds("cut off"),
        edits=(_ALONE,),
    ),
)
