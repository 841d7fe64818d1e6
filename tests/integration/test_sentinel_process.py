"""The sentinel as a process, while planner, enactors and table are not there at all."""

import asyncio
import json
from datetime import datetime
from pathlib import Path

import boto3
import pytest

from tests.integration.sentinel_process import Stage, record, sentinel_stage

# Twice what the promise gives; a page that comes later than the promise fails by its own check.
WAIT_S = 60.0
# Half a second for what is being sent, and a new start beside other tests.
BLIND_S = 5.0

SHOP = """
  shop:
    name: example.com
    names:
      "@": {records: [{type: A, ttl_s: 30, values: [192.0.2.1]}]}
      api: {records: [{type: A, ttl_s: 30, values: [192.0.2.20, 192.0.2.21]}]}
      nodata: {records: [{type: A, values: [192.0.2.31]}]}
      servfail: {records: [{type: A, values: [192.0.2.32]}]}
      timeout: {records: [{type: A, values: [192.0.2.33]}]}
      lame: {records: [{type: A, values: [192.0.2.34]}]}
      www: {records: [{type: CNAME, values: [api.example.com.]}]}
      "*.app": {records: [{type: TXT, values: ["hello"]}]}
"""
RECORDS = [
    record("example.com", "192.0.2.1"),
    record("api.example.com", "192.0.2.20", "192.0.2.21"),
    record("nodata.example.com", "192.0.2.31"),
    record("servfail.example.com", "192.0.2.32"),
    record("timeout.example.com", "192.0.2.33"),
    record("lame.example.com", "192.0.2.34"),
    record("www.example.com", "api.example.com", kind="CNAME"),
    record("*.app.example.com", '"hello"', kind="TXT"),
]
API_PAGE = "empty-name/shop/api.example.com."


async def test_records_that_a_stranger_deletes_page_within_half_a_minute(tmp_path: Path) -> None:
    """Nothing else of the system runs, and the control API is gone too: first some quiet seconds,
    then the page with the last good answers, and a notice once the name is repaired."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=30) as stage:
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in RECORDS))
        async with stage.sentinel(AWS_ENDPOINT_URL="http://127.0.0.1:1"):
            await asyncio.sleep(6.0)
            assert stage.heard.told() == []
            await asyncio.to_thread(stage.change, "shop", ("DELETE", RECORDS[1]))
            deleted_s = asyncio.get_running_loop().time()
            paged_s, page = await stage.heard.until_told("page", API_PAGE, WAIT_S)
            assert paged_s - deleted_s < 30.0
            good = page["last_good"]["A"]
            assert (good["values"], good["ttl_s"]) == (["192.0.2.20", "192.0.2.21"], 30)
            assert page["verdict"] == [{"type": "A", "finding": "nxdomain", "partly": False}]
            assert "run: dns-runbook status shop" in page["text"]
            await asyncio.to_thread(stage.change, "shop", ("CREATE", RECORDS[1]))
            await stage.heard.until_told("recovery", API_PAGE, WAIT_S)
    spent = {key for _, _, key in stage.world.stand_in.ledger.requests}
    assert "sentinel" not in spent


async def test_each_failure_of_a_server_is_paged_by_its_own_name(tmp_path: Path) -> None:
    """Empty, failing, silent, lame, and a CNAME to nothing: five pages, each in time."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=12) as stage:
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in RECORDS))
        faults = stage.world.public.faults
        async with stage.sentinel():
            await asyncio.sleep(4.0)
            faults.empty("nodata.example.com")
            faults.servfail("servfail.example.com")
            faults.silence("timeout.example.com")
            faults.refuse("lame.example.com")
            await asyncio.to_thread(stage.change, "shop", ("DELETE", RECORDS[1]))
            broken_s = asyncio.get_running_loop().time()
            expected = {name: name for name in ("nodata", "servfail", "timeout", "lame")}
            for name, finding in {**expected, "www": "dangling", "api": "nxdomain"}.items():
                page_id = f"empty-name/shop/{name}.example.com."
                paged_s, page = await stage.heard.until_told("page", page_id, WAIT_S)
                assert [one["finding"] for one in page["verdict"]] == [finding]
                assert paged_s - broken_s < 12.0
            faults.clear()
            await asyncio.to_thread(stage.change, "shop", ("CREATE", RECORDS[1]))
            for name in (*expected, "www", "api"):
                page_id = f"empty-name/shop/{name}.example.com."
                await stage.heard.until_told("recovery", page_id, WAIT_S)
        assert len(stage.heard.told()) == 12


async def test_a_restart_goes_on_where_the_former_process_was(tmp_path: Path) -> None:
    """The second process repeats no page, and tells the recovery of the first one's."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=12) as stage:
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in RECORDS))
        async with stage.sentinel():
            await asyncio.sleep(3.0)
            stage.world.public.faults.empty("nodata.example.com")
            page_id = "empty-name/shop/nodata.example.com."
            await stage.heard.until_told("page", page_id, WAIT_S)
            await asyncio.sleep(2.5)  # until it is stored
        async with stage.sentinel():
            await asyncio.sleep(5.0)
            assert stage.heard.told() == [("page", page_id)]
            stage.world.public.faults.clear()
            await stage.heard.until_told("recovery", page_id, WAIT_S)
        assert stage.heard.told() == [("page", page_id), ("recovery", page_id)]


@pytest.mark.system
async def test_another_config_is_taken_up_by_the_same_process(tmp_path: Path) -> None:
    """A broken one changes nothing; with the next sound one what is paged stays paged, once, and a
    name that came is watched."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=12) as stage:
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in RECORDS))
        before = stage.config.read_text()
        async with stage.sentinel() as process:
            stage.world.public.faults.empty("nodata.example.com")
            page_id = "empty-name/shop/nodata.example.com."
            await stage.heard.until_told("page", page_id, WAIT_S)
            broken = before.replace("name: example.com", "nmae: example.com")
            await put(stage, broken, "config_refused")
            more = "    names:\n      new: {records: [{type: A, values: [192.0.2.40]}]}\n"
            await put(stage, before.replace("    names:\n", more, 1), "config_reloaded")
            await stage.heard.until_told("page", "empty-name/shop/new.example.com.", WAIT_S)
            assert process.returncode is None
            stage.world.public.faults.clear()
            await stage.heard.until_told("recovery", page_id, WAIT_S)
        assert stage.heard.told().count(("page", page_id)) == 1


@pytest.mark.system
async def test_a_receivers_new_address_gets_what_waits_and_blinds_nobody(tmp_path: Path) -> None:
    """The old one fails all the time: the next works begin at once, and the new one is told."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=12) as stage:
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in RECORDS))
        stage.heard.down = True
        async with stage.sentinel():
            stage.world.public.faults.empty("nodata.example.com")
            await logged(stage, "notice_failed")
            moved = f'"{stage.environment["HOOK"]}/moved"'
            text = stage.config.read_text().replace("{env: HOOK}", moved)
            await put(stage, text, "notices_taken_over")
            stage.heard.down = False
            page_id = "empty-name/shop/nodata.example.com."
            await stage.heard.until_told("page", page_id, WAIT_S)
            assert blind_s(stage) < BLIND_S


def blind_s(stage: Stage) -> float:
    """How long nothing ran between one config and the next."""
    lines = (stage.folder / "sentinel.log").read_text().splitlines()
    events = [json.loads(one) for one in lines]
    at = [one["event"] for one in events].index("daemon_stopped")
    began = next(one for one in events[at:] if one["event"] == "daemon_started")
    ended_at, began_at = (datetime.fromisoformat(one["timestamp"]) for one in (events[at], began))
    return (began_at - ended_at).total_seconds()


async def put(stage: Stage, text: str, event: str) -> None:
    """Another config, until this is in the log."""
    fresh = stage.folder / "fresh.yaml"
    fresh.write_text(text)
    fresh.replace(stage.config)
    await logged(stage, event)


async def logged(stage: Stage, event: str) -> None:
    """Until this is in the log."""
    log = stage.folder / "sentinel.log"
    for _ in range(int(WAIT_S * 10)):
        if event in log.read_text():
            return
        await asyncio.sleep(0.1)
    pytest.fail(f"no {event} in {log.read_text()[-1500:]}")


async def test_a_dns_server_that_is_gone_is_one_page(tmp_path: Path) -> None:
    """Nobody is asked to restore eight names when nothing can be seen."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=6) as stage:
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in RECORDS))
        async with stage.sentinel("--name-server", "127.0.0.1:1"):
            await stage.heard.until_told("page", "unseen", WAIT_S)
            await asyncio.sleep(5.0)
        assert stage.heard.told() == [("page", "unseen")]


async def test_check_tells_well_from_ill_by_its_exit_code(tmp_path: Path) -> None:
    """0 when every name answers; 1 with the verdict and the control API's word when one does not;
    and a table for people."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=12) as stage:
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in RECORDS))
        code, said = await stage.check()
        assert (code, said["well"], len(said["names"])) == (0, True, 8)
        wild = next(one for one in said["names"] if one["name"].startswith("\\052."))
        assert wild["types"][0]["answers"] == ['"hello"']
        await asyncio.to_thread(stage.change, "shop", ("DELETE", RECORDS[1]))
        code, said = await stage.check()
        assert (code, said["well"]) == (1, False)
        ill = {one["name"]: one["types"][0] for one in said["names"] if not one["well"]}
        assert ill["api.example.com."] == {
            "type": "A",
            "verdict": "nxdomain",
            "partly": False,
            "answers": [],
            "control_api": "the control API lists no such record set",
        }
        assert ill["www.example.com."]["verdict"] == "dangling"
        code, out, _ = await stage.run("check", "--config", str(stage.config))
        assert code == 1
        assert "6 of 8 names are well." in out
        first = out.splitlines()[1].split()
        assert first[:4] == ["shop", "api.example.com.", "A", "nxdomain"]


async def test_wrong_use_is_told_before_anything_starts(tmp_path: Path) -> None:
    """Exit code 2, and what would be right."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=12) as stage:
        config = ("--config", str(stage.config))
        wrong = {
            ("--zones", "shp"): "no zone shp; zones: shop",
            ("--name-server", "ns.example.com"): "--name-server ns.example.com: no IP address",
            ("--name-server", "shp=127.0.0.1"): "--name-server for shp; zones: shop",
        }
        for arguments, words in wrong.items():
            code, out, said = await stage.run("check", *config, *arguments)
            assert (code, out) == (2, "")
            assert words in said


TWO = """
  shop:
    name: example.com
    names:
      a: {records: [{type: A, values: [192.0.2.1]}]}
      b: {records: [{type: A, values: [192.0.2.2]}]}
      c: {records: [{type: A, values: [192.0.2.3]}]}
  cafe:
    name: example.net
    names:
      d: {records: [{type: A, values: [192.0.2.4]}]}
"""


async def test_more_names_than_one_process_takes_are_said_loudly(tmp_path: Path) -> None:
    """The page counts and names those that nobody watches; --zones shares them out."""
    async with sentinel_stage(tmp_path, TWO, page_within_s=12) as stage:
        for name in "abc":
            await asyncio.to_thread(
                stage.change, "shop", ("CREATE", record(f"{name}.example.com", "192.0.2.1"))
            )
        await asyncio.to_thread(
            stage.change, "cafe", ("CREATE", record("d.example.net", "192.0.2.4"))
        )
        stage.config.write_text(
            stage.config.read_text().replace("sentinel:", "sentinel:\n  names_max: 3")
        )
        async with stage.sentinel():
            _, page = await stage.heard.until_told("page", "unwatched-names", WAIT_S)
            assert page["names"] == [{"label": "shop", "name": "c.example.com."}]
        assert (await stage.check())[0] == 1
        for zones in ("shop", "cafe"):
            code, said = await stage.check("--zones", zones)
            assert (code, said["beyond"]) == (0, [])


async def test_the_count_for_the_alarm_reaches_cloudwatch(tmp_path: Path) -> None:
    """With `metric: {}` alone the deployed zero-record alarm has what it waits for."""
    async with sentinel_stage(tmp_path, SHOP, page_within_s=6) as stage:
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in RECORDS))
        with stage.config.open("a") as config:
            config.write("  metric: {}\n")
        counted = ("cloudwatch", "PutMetricData", "sentinel")
        async with stage.sentinel(), asyncio.timeout(WAIT_S):
            while counted not in stage.world.stand_in.ledger.requests:  # noqa: ASYNC110 - another process tells nobody
                await asyncio.sleep(0.1)
        client = boto3.client("cloudwatch", endpoint_url=stage.world.stand_in.endpoint_url)
        [metric] = (await asyncio.to_thread(client.list_metrics, Namespace="dnsplan"))["Metrics"]
        client.close()
    assert metric["MetricName"] == "NamesWithoutAnswers"
    assert metric["Dimensions"] == [{"Name": "Sentinel", "Value": "main"}]


async def test_a_check_names_every_dangling_alias(tmp_path: Path) -> None:
    """Two ill names at once spend the sentinel's share of the control API; it is waited for."""
    async with sentinel_stage(tmp_path, TWO, page_within_s=12) as stage:
        stage.config.write_text(
            stage.config.read_text().replace(
                "account_requests_per_s: 50", "account_requests_per_s: 10"
            )
        )
        alias = {"HostedZoneId": stage.world.zone_ids["shop"], "DNSName": "t.example.com."}
        aliases = [
            {"Name": name, "Type": "A", "AliasTarget": {**alias, "EvaluateTargetHealth": False}}
            for name in ("a.example.com.", "b.example.com.")
        ]
        target = record("t.example.com", "192.0.2.9")
        made = [target, record("c.example.com", "192.0.2.3"), *aliases]
        await asyncio.to_thread(stage.change, "shop", *(("CREATE", one) for one in made))
        await asyncio.to_thread(stage.change, "shop", ("DELETE", target))
        code, said = await stage.check("--zones", "shop")
    verdicts = {one["name"]: one["types"][0]["verdict"] for one in said["names"]}
    assert code == 1
    assert verdicts == {
        "a.example.com.": "dangling",
        "b.example.com.": "dangling",
        "c.example.com.": "answered",
    }
