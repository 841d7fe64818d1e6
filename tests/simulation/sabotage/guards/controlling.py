"""Guards of the operators' commands: freeze, thaw, pin, and what a freeze means to enactors."""

from tests.simulation.sabotage.sabotage import Edit, Explored, Sabotage, Seeds

FREEZING, TRANSITIONS = "runbooks.controls.freezing", "dnsplan.transitions"
ADOPTION = "enactor.rules.adoption"

_PUBLISH = """\
        name="publish",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("head", seen.head),
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
"""
_CLAIM = 'name="claim",\n        label=seen.label,\n        nonce=nonce,\n        conditions=(\n'

SABOTAGES = (
    Sabotage(
        name="freeze without moving the fence",
        breaks=("P9",),
        search=Explored("freeze"),
        edits=(
            Edit(
                FREEZING,
                "            moved = await mover.move(zone, item.owner, frozen, self._tell)\n"
                "            await mover.in_sync(zone, moved, self._tell)\n"
                "        except",
                "        except",
            ),
        ),
    ),
    Sabotage(
        name="freeze without waiting for sync",
        breaks=("P9",),
        search=Explored("freeze-lost"),
        edits=(
            Edit(
                FREEZING,
                "            moved = await mover.move(zone, item.owner, frozen, self._tell)\n"
                "            await mover.in_sync(zone, moved, self._tell)\n"
                "        except",
                "            moved = await mover.move(zone, item.owner, frozen, self._tell)\n"
                "        except",
            ),
        ),
    ),
    Sabotage(
        name="work on in a frozen zone",
        breaks=("P9",),
        search=Explored("freeze"),
        edits=(
            Edit(ADOPTION, "if seen.frozen is not None:", "if False:"),
            Edit(ADOPTION, "if item.frozen is not None:", "if False:"),
            Edit(
                TRANSITIONS,
                _CLAIM + '            IsAbsent("frozen"),\n',
                _CLAIM,
            ),
        ),
        covered_by="the item, the claim and the fence each say frozen",
    ),
    Sabotage(
        name="take a freeze that nobody can tell of for none",
        breaks=("P9",),
        search=Seeds("forgotten freezes"),
        edits=(
            Edit(
                "runbooks.reconciling.preparing",
                "is_freeze_new = frozen is None and rules.is_freeze_unknown(history)",
                "is_freeze_new = False",
            ),
        ),
    ),
    Sabotage(
        name="thaw without the id",
        breaks=("P9",),
        search=Seeds("freezes"),
        edits=(
            Edit(
                FREEZING,
                "if standing != freeze_id:",
                "if False:",
            ),
            Edit(
                FREEZING,
                "if standing is None or standing.frozen != freeze_id:",
                "if standing is None or standing.frozen is None:",
            ),
            Edit(FREEZING, "if item.frozen == freeze_id:", "if item.frozen is not None:"),
            Edit(TRANSITIONS, ', Equals("frozen", freeze_id)),', ",),"),
        ),
    ),
    Sabotage(
        name="restore at fence + 1",
        breaks=("P4", "P13"),
        search=Seeds("restores", most=60),
        edits=(
            Edit(
                "runbooks.restoring.rules",
                "generation=next_era(*seen),",
                "generation=type(standing.generation)(standing.generation + 1),",
            ),
        ),
    ),
    Sabotage(
        name="reconcile with head = fence",
        breaks=("P4", "P10"),
        search=Seeds("backups"),
        edits=(
            Edit(
                "runbooks.reconciling.rules",
                "next_era(*seen, *history.issued, history.standing.generation, making.above)",
                "history.standing.generation",
            ),
        ),
    ),
    Sabotage(
        name="publish while ahead",
        breaks=("P4",),
        search=Seeds("backups unseen"),
        edits=(
            Edit(TRANSITIONS, _PUBLISH + '            IsAbsent("ahead"),\n', _PUBLISH),
            Edit("planner.rules.holds", "if item.ahead is not None:", "if False:"),
        ),
    ),
)
