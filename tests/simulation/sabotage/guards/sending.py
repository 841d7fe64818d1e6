"""Guards of a batch on its way: the fence pair, its order and its nonces, and what settles it."""

from tests.simulation.sabotage.sabotage import Edit, Explored, Sabotage, Seeds

PACKING, SENDING, SETTLE = "enactor.rules.packing", "enactor.sending", "enactor.rules.settle"

_NEVER_BACK = Edit(
    PACKING,
    'check(before.record.token <= after.token, "the fence never goes back")',
    "pass",
)
_NEW_NONCE = "nonce = self._jitter.token(NONCE_BITS)\n        return progress.next_fence("

SABOTAGES = (
    Sabotage(
        name="drop the fence pair",
        breaks=("P1",),
        search=Seeds(),
        edits=(Edit(PACKING, "        *fence_pair,\n", ""),),
    ),
    Sabotage(
        name="fence only the first batch",
        breaks=("P1",),
        search=Seeds(),
        edits=(Edit(PACKING, "*fence_pair,", "*(fence_pair if after.step == 1 else ()),"),),
    ),
    Sabotage(
        name="reuse the nonce",
        breaks=("P1",),
        search=Seeds(),
        edits=(
            Edit(
                SENDING,
                _NEW_NONCE,
                _NEW_NONCE.replace("self._jitter.token(NONCE_BITS)", "'5' * 16"),
            ),
            Edit(
                PACKING,
                'check(before.record.nonce != after.nonce, "a fence value never repeats")',
                "pass",
            ),
        ),
        covered_by="a batch that repeats a nonce cannot be built",
    ),
    Sabotage(
        name="send again after an unknown",
        breaks=("P11",),
        search=Seeds(),
        edits=(
            Edit(
                SENDING,
                "outcome = await self._records.submit(task.zone, batch)\n",
                "outcome = await self._records.submit(task.zone, batch)\n"
                "        if isinstance(outcome, Unknown):\n"
                "            outcome = await self._records.submit(task.zone, batch)\n",
            ),
        ),
    ),
    Sabotage(
        name="take any landing for this batch's",
        breaks=("P1",),
        search=Explored("overtaken", late=1),
        edits=(
            Edit(
                SENDING,
                "return outcomes.Fenced(position(before), position(now))",
                "progress.fence = now\n                return _GoOn(())",
            ),
            _NEVER_BACK,
        ),
        covered_by="a batch that takes the fence back cannot be built",
    ),
    Sabotage(
        name="send batches in any order",
        breaks=("P2",),
        search=Seeds("moving links"),
        edits=(
            Edit(
                "enactor.rules.order",
                "place = rank.get(head, 0) + (last if change.ends else 0)",
                "place = 0",
            ),
        ),
    ),
    Sabotage(
        name="take an unmoved fence for a landing",
        breaks=("P1", "P3", "P10"),
        search=Seeds(),
        edits=(
            Edit(
                SENDING,
                "return outcomes.Unknown(outcome.reason)",
                "return _GoOn(())",
            ),
        ),
    ),
    Sabotage(
        name="carry a plan over a lost race",
        breaks=("P1",),
        search=Explored("pair"),
        edits=(
            Edit(
                SENDING,
                "return outcomes.Fenced(position(before), position(now))",
                "progress.fence = now\n                return _GoOn((group,))",
            ),
            _NEVER_BACK,
        ),
        covered_by="a batch that takes the fence back cannot be built",
    ),
    Sabotage(
        name="renumber a resumed plan from 1",
        breaks=("P1",),
        search=Explored("resume"),
        edits=(
            Edit(
                "enactor.progress",
                "step = standing.step + 1 if resumes and standing is not None else 1",
                "step = 1",
            ),
        ),
    ),
)
