"""`dns-runbook status` against a running sandbox: the object, the lines, the table, the codes."""

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from dnsplan.generation import GenerationItem
from dnsplan.outcomes import Written
from dnsplan.runtime.config import load
from dnsplan.runtime.status.sources import open_sources
from dnsplan.transitions import create
from enactor.adapters.exceptions import open_held
from sandbox.run.environment import aws_variables
from sandbox.run.world import World, open_world
from tests.integration.sandbox_process import BIN, DEMO, RunningSandbox
from tests.integration.terminal import on_a_terminal

AZS = {"use1-az1", "use1-az2", "use1-az3"}


def status(demo: RunningSandbox, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    done = demo.run("dns-runbook", "status", "--config", str(demo.config), *arguments)
    return done.returncode, done.stdout, done.stderr


async def called(world: World, command: str, *arguments: str) -> tuple[int, str]:
    """Run a command against a stand-in of this process; exit code and output."""
    aws = aws_variables(endpoint_url=world.stand_in.endpoint_url, access_key="test")
    process = await asyncio.create_subprocess_exec(
        str(BIN / command),
        *arguments,
        env={**os.environ, **aws},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, out.decode()


def test_the_object_is_whole_and_in_sync(demo: RunningSandbox) -> None:
    """What `converged` carried has the same keys; every number is where it should be; exit 0."""
    zone = demo.in_sync()["zones"][0]
    assert list(demo.converged()["zones"][0]) == list(zone)
    assert (zone["label"], zone["zone"]) == ("demo", "example.test.")
    assert zone["head"] == zone["applied"] == zone["fence"]["generation"] >= 1
    assert zone["fence"]["step"] == zone["fence"]["steps"]
    assert (zone["frozen"], zone["pin"], zone["ahead"]) == (None, None, None)
    assert {one["az"] for one in zone["enactors"]} == AZS
    assert all(name["answers"] >= 1 and name["name"].endswith(".") for name in zone["names"])
    pools = {name["name"]: name["targets"] for name in zone["names"] if name["targets"]}
    assert pools == {"example.test.": 3, "api.example.test.": 2}


def test_in_a_pipe_it_is_lines_that_grep_finds(demo: RunningSandbox) -> None:
    """Each line starts with the label and its kind; no colour, no box."""
    demo.in_sync()
    code, out, err = status(demo, "demo")
    assert (code, err) == (0, "")
    assert re.search(
        r"^demo zone example\.test\. in_sync id=Z\w+ head=\d+ applied=\d+", out, re.MULTILINE
    )
    assert re.search(
        r"^demo name example\.test\. A answers=\d targets=3 healthy=\d$", out, re.MULTILINE
    )
    assert re.search(r"^demo fence generation=\d+ step=1/1 ", out, re.MULTILINE)
    assert {line.split()[2] for line in out.splitlines() if " enactor " in line} == AZS
    assert "\x1b" not in out


def test_on_a_terminal_it_is_a_table(demo: RunningSandbox) -> None:
    """With zones, names and each AZ's sight."""
    demo.in_sync()
    text, code = on_a_terminal(
        *("dns-runbook", "status", "--config", str(demo.config)), environment=demo.environment()
    )
    assert code == 0
    for needle in ("standing", "in sync", "example.test.", "use1-az3", "answers"):
        assert needle in text


async def test_a_held_zone_is_exit_3_and_says_what_ends_it() -> None:
    """Frozen is a decision, not a failure; and no plan yet is no reason to hide it."""
    settings = load(DEMO, {}).settings
    config = ("--config", str(DEMO))
    async with open_world() as world:
        await world.make_zones(list(settings.zones.items()))
        assert (await called(world, "dns-planner", "init", *config))[0] == 0
        async with open_sources(settings, open_held) as sources:
            item = GenerationItem(
                label="demo",
                owner="o",
                incarnation=await sources.table.incarnation(),
                nonce="n",
                frozen="freeze-1",
            )
            assert await sources.table.write(create(item)) == Written()
        code, out = await called(world, "dns-runbook", "status", *config)
        assert code == 3, out
        assert "demo zone example.test. held" in out
        assert "frozen by freeze-1; ends with dns-runbook thaw demo freeze-1" in out
        _, shown = await called(world, "dns-runbook", "status", "--json", *config)
        zone = json.loads(shown)["zones"][0]
        assert (zone["frozen"], zone["head"], zone["names"]) == ("freeze-1", 0, [])
        assert zone["zone_id"] == world.zone_ids["demo"]


def test_an_unknown_label_is_exit_2_and_names_those_there_are(demo: RunningSandbox) -> None:
    """A typing mistake never shows an empty, healthy list."""
    code, out, err = status(demo, "dmeo")
    assert (code, out) == (2, "")
    assert "dmeo" in err
    assert "demo" in err


def test_a_mistake_in_the_config_is_exit_2(demo: RunningSandbox, tmp_path: Path) -> None:
    """File, line and key, and no traceback."""
    path = tmp_path / "dns.yaml"
    path.write_text("azs: [a]\nzoness: {}\n")
    done = demo.run("dns-runbook", "status", "--config", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{path}:2: zoness" in done.stderr


@pytest.mark.parametrize("as_json", [False, True])
def test_without_aws_it_says_what_could_not_be_read(demo: RunningSandbox, as_json: bool) -> None:
    """Exit 1, the zone is still shown, and no number is made up."""
    environment = {**demo.environment(), "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    done = demo.run(
        *("dns-runbook", "status", "--config", str(demo.config)),
        *(("--json",) if as_json else ()),
        environment=environment,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    if as_json:
        assert '"head": null' in done.stdout
        assert "could not be read" in done.stderr
    else:
        assert "demo zone example.test. unhealthy id=- head=-" in done.stdout
        assert "unread" in done.stdout


def test_without_a_region_it_says_so(demo: RunningSandbox) -> None:
    """An environment that was forgotten is one sentence."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
    environment["AWS_CONFIG_FILE"] = "/dev/null"
    arguments = ("dns-runbook", "status", "--config", str(demo.config))
    done = demo.run(*arguments, environment=environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Region" in done.stderr or "region" in done.stderr
    assert "Traceback" not in done.stderr
