"""Plays the cases on both sides in turn, on zones of the same content in one stand-in.

Both sides read the same zone file. A side that is refused is told so and tried once more with what
its own documentation offers, so that the later cases can be played.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import Run
from benchmarks.processes import Side, SideFailedError, StandIn, run_octodns, side, stand_in
from benchmarks.zones import Case, as_octodns_yaml, batches_min, content

OURS, OCTODNS = "dnsplan", "octoDNS"
OUR_ZONE, THEIR_ZONE = "ours.example.com", "octo.example.com"
PLANNER_KEY, ENACTOR_KEY, OCTODNS_KEY = "bench-planner", "bench-enactor", "bench-octodns"
QUIET_PASSES = 20

# octoDNS counts an UPSERT once where Route 53 counts it twice; half of the limit is the way out.
MAX_CHANGES, MAX_CHANGES_AFTER_REFUSAL = 1_000, 500

OUR_CONFIG = f"""\
azs: [use1-az1]
account_requests_per_s: 1000  # the stand-in has no limit here; the time at AWS's is calculated
zones:
  bench: {{name: {OUR_ZONE}, records_from: zone.yaml}}
"""

THEIR_CONFIG = f"""\
manager: {{max_workers: 1}}
providers:
  files: {{class: octodns.provider.yaml.YamlProvider, directory: ./zones}}
  route53:
    class: octodns_route53.Route53Provider
    access_key_id: env/AWS_ACCESS_KEY_ID
    secret_access_key: env/AWS_SECRET_ACCESS_KEY
    max_changes: MAX_CHANGES
zones:
  {THEIR_ZONE}.: {{sources: [files], targets: [route53]}}
"""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One zone's size, the cases to play on it, and who plays."""

    size: int
    cases: tuple[Case, ...]
    with_octodns: bool


def play(scenario: Scenario, folder: Path, tell: Tell) -> Iterator[Run]:
    """All cases once, on a fresh stand-in."""
    zones = (OUR_ZONE, THEIR_ZONE) if scenario.with_octodns else (OUR_ZONE,)
    (folder / "zones").mkdir(exist_ok=True)
    (folder / "dns.yaml").write_text(OUR_CONFIG)
    _write_zone(folder, scenario.size, scenario.cases[0])
    with ExitStack() as stack:
        aws = stack.enter_context(stand_in(folder, zones))
        planner = stack.enter_context(side("planner", folder, aws, access_key=PLANNER_KEY))
        enactor = stack.enter_context(side("enactor", folder, aws, access_key=ENACTOR_KEY))
        ours = _Ours(aws, planner, enactor)
        for case in scenario.cases:
            _write_zone(folder, scenario.size, case)
            tell(f"{scenario.size:,} records, {case.value}: {OURS}")
            yield ours.play(scenario.size, case)
            if scenario.with_octodns:
                tell(f"{scenario.size:,} records, {case.value}: {OCTODNS}")
                yield from _octodns(folder, aws, scenario.size, case)


@dataclass(frozen=True, slots=True)
class _Ours:
    aws: StandIn
    planner: Side
    enactor: Side

    def play(self, size: int, case: Case) -> Run:
        is_quiet = case is Case.NONE
        # A config is read when it changed; the pass after it belongs to no case where nothing did.
        read_s = 0.0 if is_quiet else float(self.planner.do("read")["cpu_s"])
        self.aws.forget()
        passes = QUIET_PASSES if is_quiet else 1
        planned = self.planner.do("plan", passes=passes, is_quiet=is_quiet)
        enacted = self.enactor.do("idle", passes=passes) if is_quiet else self.enactor.do("enact")
        route53, enactor_table = self.aws.requests(ENACTOR_KEY)
        _, planner_table = self.aws.requests(PLANNER_KEY)
        parts = {"planner": float(planned["cpu_s"]), "enactor": float(enacted["cpu_s"])}
        return Run(
            side=OURS,
            size=size,
            case=case.value,
            source_cpu_s=read_s,
            cpu_s=sum(parts.values()),
            parts=parts,
            peak_mb={"planner": planned["peak_mb"], "enactor": enacted["peak_mb"]},
            route53=route53,
            dynamodb=enactor_table + planner_table,
            batches_min=batches_min(size, case, fenced=True),
            # Last, so that what it holds is in no case's peak.
            facts=self.planner.do("decode") if case is Case.ONE else {},
        )


def _octodns(folder: Path, aws: StandIn, size: int, case: Case) -> Iterator[Run]:
    first = _octodns_once(folder, aws, size, case, max_changes=MAX_CHANGES)
    yield first
    if first.refused:
        again = _octodns_once(folder, aws, size, case, max_changes=MAX_CHANGES_AFTER_REFUSAL)
        if again.refused:
            raise SideFailedError(f"{OCTODNS} was refused twice: {again.refused}")
        yield again


def _octodns_once(folder: Path, aws: StandIn, size: int, case: Case, *, max_changes: int) -> Run:
    config = THEIR_CONFIG.replace("MAX_CHANGES", str(max_changes))
    (folder / "octodns.yaml").write_text(config)
    aws.forget()
    said: Mapping[str, Any] = run_octodns(folder, aws, access_key=OCTODNS_KEY)
    route53, _ = aws.requests(OCTODNS_KEY)
    return Run(
        side=OCTODNS,
        size=size,
        case=case.value,
        source_cpu_s=said["source_cpu_s"],
        cpu_s=said["cpu_s"],
        parts={"octodns-sync": said["cpu_s"]},
        peak_mb={"octodns-sync": said["peak_mb"]},
        route53=route53,
        dynamodb={},
        batches_min=batches_min(size, case, fenced=False),
        facts={"start_s": said["start_cpu_s"], "max_changes": float(max_changes)},
        refused=said["error"],
    )


def _write_zone(folder: Path, size: int, case: Case) -> None:
    text = "\n".join([*as_octodns_yaml(content(size, case)), ""])
    (folder / "zone.yaml").write_text(text)
    (folder / "zones" / f"{THEIR_ZONE}.yaml").write_text(text)
