"""Guards of what people are told: by a page, by a restore that has ended, by a hold."""

from tests.simulation.sabotage.sabotage import Edit, Sabotage, Seeds

SABOTAGES = (
    Sabotage(
        name="confirm a silence by twenty rounds",
        breaks=("P12",),
        search=Seeds("silence"),
        edits=(Edit("sentinel.rules.pace", "ROUNDS_TO_CONFIRM = 2", "ROUNDS_TO_CONFIRM = 20"),),
    ),
    Sabotage(
        name="call a restore done after its first batches",
        breaks=("P13",),
        search=Seeds("restores", most=60),
        edits=(
            Edit(
                "runbooks.restoring.restoring",
                "            if ended is None:\n",
                "            if ended is not _Again.STUCK:\n",
            ),
        ),
    ),
    Sabotage(
        name="hold without the command to run",
        breaks=("P14",),
        search=Seeds("freezes"),
        edits=(
            Edit(
                "enactor.rules.adoption",
                'f"dns-runbook thaw {label} {item.frozen}"',
                '""',
            ),
        ),
    ),
    Sabotage(
        name="refuse without the limit",
        breaks=("P14",),
        search=Seeds("careless planner"),
        edits=(
            Edit("dnsplan.violation", "{self.measured}; limit: {self.limit}", "{self.measured}"),
        ),
    ),
)
