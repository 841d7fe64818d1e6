"""dns-planner as a person runs it: what it prints, what it leaves in the table, its exit codes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from tests.integration.planner_stage import RUN, PlannerStage, Target, plain, planner_stage

ZONE = """
zones:
  shop:
    name: example.com
    names:
      "@": {pool: web, records: [{type: MX, values: ["10 mail.example.com."]}]}
      www: {records: [{type: CNAME, values: [example.com.]}]}
pools:
  web:
    targets: [{id: a, address: 192.0.2.10}, {id: b, address: 192.0.2.11}]
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlannerStage]:
    """A stand-in without a table; its users change nothing."""
    with planner_stage(tmp_path_factory.mktemp("bare")) as made:
        made.write(ZONE)
        yield made


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[PlannerStage]:
    """A stand-in with the table."""
    with planner_stage(tmp_path) as made:
        made.write(ZONE)
        assert made.run("init").code == 0
        yield made


def test_init_makes_the_table_once(tmp_path: Path) -> None:
    """A second init changes nothing and says so with the same table id."""
    with planner_stage(tmp_path) as stage:
        stage.write(ZONE)
        first, second = stage.run("init"), stage.run("init")
    identity = first.out.partition("(id ")[2]
    assert (first.code, first.out) == (0, f"table dnsplan made (id {identity}")
    assert (second.code, second.out) == (0, f"table dnsplan is there already (id {identity}")


def test_init_refuses_a_table_of_another_shape(bare: PlannerStage) -> None:
    """A table that does not fit is the operator's to choose: exit 2, nothing changed."""
    dynamodb = boto3.client("dynamodb", endpoint_url=bare.stand_in.endpoint_url)
    dynamodb.create_table(
        TableName="misfit",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    bare.write("table: misfit\n" + ZONE)
    ended = bare.run("init")
    bare.write(ZONE)
    assert (ended.code, ended.out) == (2, "")
    assert "misfit" in ended.err
    assert "Traceback" not in ended.err


def test_plan_goes_from_pending_to_published_to_nothing_to_do(stage: PlannerStage) -> None:
    """A dry pass shows and exits 4, --publish publishes and exits 0, then nothing is to do."""
    dry = stage.run("plan")
    assert dry.code == 4
    assert dry.out.splitlines() == [
        "shop example.com. changes pending: generation 1 is ready (--publish publishes it)",
        "shop + example.com. A 192.0.2.10 (a): no health check",
        "shop + example.com. A 192.0.2.11 (b): no health check",
        "shop + example.com. MX 10 mail.example.com.: stated in the config",
        "shop + www.example.com. CNAME example.com.: stated in the config",
        "shop guardrail never_empty: ok",
        "shop guardrail hands_off: ok",
        "shop guardrail floor: ok",
        "shop guardrail velocity: ok",
        "shop guardrail names_changed: ok",
        "shop guardrail ttl: ok",
    ]
    published = stage.run("plan", "--publish", "--json")
    (zone,) = published.zones
    assert (published.code, zone["outcome"], zone["next"]) == (0, "published", 1)
    again = stage.run("plan")
    expected = "shop example.com. nothing to do: generation 1 says it all\n"
    assert (again.code, again.out) == (0, expected)


def test_plan_shows_what_is_unlisted_and_what_changes(stage: PlannerStage) -> None:
    """A name that left the config stays and is shown; a changed record shows both values."""
    stage.run("plan", "--publish")
    stage.write(
        ZONE.replace("      www: {records: [{type: CNAME, values: [example.com.]}]}\n", "").replace(
            "10 mail.example.com.", "20 mail.example.com."
        )
    )
    (zone,) = stage.run("plan", "--json").zones
    shown = [(one["sign"], one["name"], one["type"], one["answer"]) for one in zone["changes"]]
    assert shown == [
        ("-", "example.com.", "MX", "10 mail.example.com."),
        ("+", "example.com.", "MX", "20 mail.example.com."),
        ("=", "www.example.com.", "CNAME", None),
    ]


def test_a_held_zone_exits_3_and_names_a_command(stage: PlannerStage) -> None:
    """A table that was restored is held, with what to type next."""
    stage.run("plan", "--publish")
    dynamodb = boto3.client("dynamodb", endpoint_url=stage.stand_in.endpoint_url)
    dynamodb.update_item(
        TableName="dnsplan",
        Key={"pk": {"S": "gen#shop"}, "sk": {"S": "item"}},
        UpdateExpression="SET incarnation = :i",
        ExpressionAttributeValues={":i": {"S": "another"}},
    )
    ended = stage.run("plan")
    assert ended.code == 3
    assert "next: dns-runbook reconcile shop" in ended.out
    assert stage.run("cleanup").code == 3


def test_an_unreachable_table_exits_1(bare: PlannerStage) -> None:
    """AWS that cannot be asked is a failure of this run, in one line."""
    ended = bare.run("plan", AWS_ENDPOINT_URL="http://127.0.0.1:9")
    assert ended.code == 1
    assert "held (read_failed)" in ended.out
    assert "Traceback" not in ended.out + ended.err


def test_a_table_that_is_not_there_names_init(bare: PlannerStage) -> None:
    """The first mistake of a newcomer has its answer in the message."""
    ended = bare.run("plan")
    assert (ended.code, "next: dns-planner init; page: runbooks" in ended.out) == (1, True), (
        ended.out
    )


@pytest.mark.parametrize("command", ["run", "plan", "cleanup", "init"])
def test_mistakes_in_the_config_exit_2(bare: PlannerStage, command: str) -> None:
    """Each command says file, line and key of every mistake, and starts nothing."""
    bad = bare.folder / "bad.yaml"
    bad.write_text("azs: [a1]\nzones:\n  shop: {name: example.com, nams: {}, ttl_s: '30'}\n")
    ended = bare.run(command, "--config", str(bad))
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 2
    assert all(f"{bad.name}:3: zones.shop." in line for line in ended.err.splitlines())


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["run", "--az", "nowhere"], "--az nowhere"),
        (["plan", "nozone"], "no zone nozone; zones: shop"),
        (["cleanup", "--daemon", "--json"], "leave out --daemon"),
        (["plan", "--nonsense"], "--nonsense"),
    ],
)
def test_wrong_options_exit_2(bare: PlannerStage, args: list[str], words: str) -> None:
    """A wrong option is said in words, without a traceback."""
    ended = bare.run(*args)
    assert ended.code == 2
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_a_missing_region_is_one_line(bare: PlannerStage) -> None:
    """What the AWS environment lacks is said in the SDK's words."""
    environ = {name: value for name, value in os.environ.items() if name != "AWS_DEFAULT_REGION"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, "plan"],
        cwd=bare.folder,
        env={**environ, "AWS_ENDPOINT_URL": bare.stand_in.endpoint_url},
        capture_output=True,
        text=True,
        timeout=40,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("dns-planner: open a client for dynamodb: NoRegionError")
    assert len(done.stderr.splitlines()) == 1


def test_help_is_instant_and_says_the_exit_codes(bare: PlannerStage) -> None:
    """No AWS, HTTP or config library is loaded to print help."""
    probe = (
        "import sys; from planner.main import app; "
        "app(['plan', '--help'], standalone_mode=False); "
        "print(sorted({'aiobotocore', 'aiohttp', 'msgspec', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, timeout=40, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "4  changes pending" in done.stdout


def test_a_terminal_gets_a_table(stage: PlannerStage) -> None:
    """On a terminal the same facts come in columns and colours."""
    shown, code = stage.run_in_terminal("plan")
    assert code == 4
    assert "\x1b[" in shown
    assert "name type answer target why" in plain(shown)
    assert "+ example.com. A 192.0.2.10 a no health check" in plain(shown)
    assert "never_empty ok" in plain(shown)


def test_probes_decide_what_a_first_plan_holds(stage: PlannerStage) -> None:
    """A target that refuses is left out of the first plan, with what the probe saw."""
    alive, dead = Target("127.0.0.1"), Target("127.0.0.1")
    dead.close()
    stage.write(probed(alive.port, dead.port))
    (zone,) = stage.run("plan", "--json").zones
    alive.close()
    shown = {one["name"]: (one["answer"], one["why"]) for one in zone["changes"]}
    assert shown["alive.example.com."] == ("127.0.0.1", "healthy: connected, 3 in a row")
    panic = "health is ignored: too few of the pool look healthy: connection refused, 3 in a row"
    assert ("127.0.0.1", panic) in [
        (one["answer"], one["why"]) for one in zone["changes"] if one["name"] == "dead.example.com."
    ]


def probed(alive: int, dead: int) -> str:
    """Two names with one target each, on ports of this machine."""
    return f"""
zones:
  shop:
    name: example.com
    names: {{alive: {{pool: alive}}, dead: {{pool: dead}}}}
pools:
  alive:
    targets: [{{id: a, address: 127.0.0.1}}]
    health: {{tcp: {{port: {alive}}}, interval_s: 0.5, timeout_s: 0.4}}
  dead:
    targets: [{{id: b, address: 127.0.0.1}}]
    health: {{tcp: {{port: {dead}}}, interval_s: 0.5, timeout_s: 0.4}}
"""
