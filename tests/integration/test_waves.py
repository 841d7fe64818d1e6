"""A changed config goes out in waves through real processes, which take it up while they run."""

import signal
from pathlib import Path

import pytest

from dnsplan.runtime.aws import AwsClients
from tests.integration.daemons_stage import AZS, A, Daemons, daemons_stage

OTHERS = {"cafe": "example.net", "lab": "example.org"}
CONFIG = """
azs: [{az}]
account_requests_per_s: 900
planner: {{interval_s: 0.2}}
enactor: {{interval_s: 0.1, fence_check_s: 60, stagger_s: 0.3}}
waves: {{canaries: [lab], bake_s: 2, zones_per_window: 1, window_s: 2}}
zones:
"""
ZONE = (
    "  {label}: {{name: {name}, names: {{www: {{records: [{{type: A, values: [{value}]}}]}}}}}}\n"
)


def config(value: str, *labels: str) -> str:
    """Every zone answers this."""
    names = {"shop": "example.com", **OTHERS}
    zones = [ZONE.format(label=one, name=names[one], value=value) for one in labels]
    return CONFIG.format(az=AZS[0]) + "".join(zones)


def write(stage: Daemons, text: str) -> None:
    """Replace the config whole."""
    fresh = stage.folder / "dns.yaml.new"
    fresh.write_text(text)
    fresh.replace(stage.folder / "dns.yaml")


async def applied(stage: Daemons, generation: int, *labels: str) -> None:
    """Wait until the table notes this generation in all of these zones."""

    async def look() -> bool | None:
        items = await stage.aws.table.read(labels)
        return True if {one.applied for one in items.values()} == {generation} else None

    await stage.eventually(look, f"generation {generation} applied in {labels}")


@pytest.mark.system
async def test_canary_first_then_one_zone_a_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planner and enactor take up a zone that comes, and a changed value goes out in order; back it
    goes at once."""
    async with daemons_stage(
        tmp_path, monkeypatch, config=config("192.0.2.1", "shop", "lab")
    ) as stage:
        async with AwsClients().open("route53") as route53:
            for name in OTHERS.values():
                await route53.create_hosted_zone(Name=name, CallerReference=name)
        planner, enactor = await stage.planner(), await stage.enactor(A)
        await applied(stage, 1, "shop", "lab")
        labels = ("shop", "cafe", "lab")
        write(stage, config("192.0.2.1", *labels))
        enactor.process.send_signal(signal.SIGHUP)
        await stage.logged(enactor, "config_reloaded", zones=3)
        await applied(stage, 1, *labels)
        write(stage, config("192.0.2.2", *labels))
        await applied(stage, 2, *labels)
        went = [one["zone"] for one in planner.events("plan_published") if one["generation"] == 2]
        assert went == ["lab", "shop", "cafe"]
        waited = {one["zone"]: one for one in planner.events("plan_waiting")}
        assert sorted(waited) == ["cafe", "shop"]
        assert waited["shop"]["rule"] == "wave"
        write(stage, config("192.0.2.1", *labels))
        await applied(stage, 3, *labels)
        items = await stage.aws.table.read(labels)
        assert {one.head for one in items.values()} == {3}
