"""Guards of the generation item: what each conditional write is admitted under."""

from tests.simulation.sabotage.sabotage import Edit, Explored, Sabotage, Seeds

TRANSITIONS = "dnsplan.transitions"

_CLAIM = 'AtMost("claimed", generation),\n            AbsentOr(AtLeast("pin", generation)),'

_PUBLISH = (
    'name="publish",\n        label=seen.label,\n        nonce=nonce,\n        conditions=(\n'
)

_APPLIED = """\
    conditions: list[Condition] = [
        Equals("incarnation", seen.incarnation),
        Equals("owner", seen.owner),
"""

SABOTAGES = (
    Sabotage(
        name="claim with <",
        breaks=("P10",),
        search=Seeds(),
        edits=(Edit(TRANSITIONS, _CLAIM, _CLAIM.replace("generation)", "generation - 1)", 1)),),
    ),
    Sabotage(
        name="claim by step instead of generation",
        breaks=("P1", "P5", "P10"),
        search=Seeds(),
        edits=(
            Edit(
                "enactor.enacting",
                "wish = claim(item, plan.generation, zone_id",
                "step = progress.fence.record.step if progress.fence is not None else 0\n"
                "        wish = claim(item, type(plan.generation)(step + 1), zone_id",
            ),
        ),
    ),
    Sabotage(
        name="publish whatever the head is",
        breaks=("P4",),
        search=Seeds(),
        edits=(
            Edit(
                TRANSITIONS,
                _PUBLISH + '            Equals("head", seen.head),\n',
                _PUBLISH,
            ),
        ),
    ),
    Sabotage(
        name="ignore the incarnation",
        breaks=("P4",),
        search=Seeds("copied table"),
        edits=(
            Edit("planner.rules.holds", "if item.incarnation == incarnation:", "if True:"),
            Edit("enactor.rules.adoption", "if item.incarnation != incarnation:", "if False:"),
            Edit(
                "enactor.enacting",
                "if await self._table.incarnation() != item.incarnation:",
                "if False:",
            ),
        ),
    ),
    Sabotage(
        name="let applied go back",
        breaks=("P1",),
        search=Explored("overtaken"),
        edits=(
            Edit(
                TRANSITIONS,
                _APPLIED + '        AtMost("applied", generation),\n',
                _APPLIED,
            ),
            Edit(TRANSITIONS, 'conditions.append(AtMost("last_known_good", generation))', "pass"),
        ),
        covered_by="last known good may not go back either",
    ),
)
