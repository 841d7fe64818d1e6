"""The planner as its daemon runs it: the product's own pass on its own adapters.

Reading the config is measured apart from planning, since a daemon does it once and a pass never.
"""

import asyncio
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.meter import Spent, peak_mb
from benchmarks.sides.serving import serve
from dnsplan.codec import unseal
from dnsplan.generation import GenerationItem
from dnsplan.runtime import telemetry
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config import load
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.table_making import create_table
from planner.adapters.probes import SocketProber
from planner.cycle import PlanCycle
from planner.passes import PlanPass
from planner.rules.candidate import ZoneWish
from planner.rules.outcomes import Published, Unchanged
from planner.settings import PlannerSettings, planner_settings
from planner.watch import Watch

DECODED_TIMES = 5


class PlannerSide:
    """One planner, its config, and what it spent."""

    def __init__(
        self, config: Path, table: DynamoGenerationTable, archive: DynamoPlanArchive
    ) -> None:
        """No zone is wished for before `read`."""
        self._config = config
        self._archive, self._table = archive, table
        clock, jitter = SystemClock(), SystemJitter()
        cycle = PlanCycle(
            table=table,
            archive=archive,
            clock=clock,
            jitter=jitter,
            author="benchmark",
            plans_per_min_max=600,
        )
        self._planning = PlanPass((), table=table, cycle=cycle)
        self._sight = Watch((), SocketProber(per_s_max=1.0), clock=clock, jitter=jitter).sight()
        self._wishes: Sequence[ZoneWish] = ()

    async def read(self, _asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read the config and the zone's file anew."""
        spent = Spent()
        with spent.counted():
            wanted: PlannerSettings = planner_settings(load(self._config, os.environ).settings)
            self._wishes = wanted.wishes
            self._planning.plan_for(wanted.wishes)
        return {"cpu_s": spent.cpu_s}

    async def plan(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run passes and give the CPU of one; the first publishes what is new."""
        spent, passes = Spent(), int(asked["passes"])
        with spent.counted():
            for _ in range(passes):
                reports = await self._planning.run_once(self._sight, may_write=True)
        outcomes = [report.outcome for report in reports]
        wanted = Unchanged if asked["is_quiet"] else Published
        if not all(isinstance(one, wanted) for one in outcomes):
            return {"error": f"the planner ended otherwise: {str(outcomes)[:500]}"}
        return {"cpu_s": spent.cpu_s / passes, "peak_mb": peak_mb()}

    async def decode(self, _asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """How long it takes to check and decode the newest plan: the measure of a planning pass."""
        labels = [wish.label for wish in self._wishes]
        item: GenerationItem = (await self._table.read(labels))[labels[0]]
        envelope = await self._archive.load(item.head_id)
        took = []
        for _ in range(DECODED_TIMES):
            began_s = time.process_time()
            unseal(envelope)
            took.append(time.process_time() - began_s)
        return {"decode_s": median(took)}


async def main(config: Path) -> None:
    """Open the table, making it if need be, and serve."""
    telemetry.configure(os.environ, sys.stderr, component="planner")
    clock, jitter = SystemClock(), SystemJitter()
    retrying = Retrying(clock, jitter, budget=RetryBudget())
    name = "dnsplan"
    async with AsyncExitStack() as stack:
        dynamodb = await stack.enter_async_context(AwsClients().open("dynamodb"))
        await create_table(dynamodb, name, clock=clock, jitter=jitter, retrying=retrying)
        side = PlannerSide(
            config,
            DynamoGenerationTable(dynamodb, name, retrying),
            DynamoPlanArchive(dynamodb, name, retrying),
        )
        await serve({"read": side.read, "plan": side.plan, "decode": side.decode})


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
