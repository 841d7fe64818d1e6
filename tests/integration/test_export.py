"""`dns-runbook export` as people run it: files, exit codes, and nothing left out in silence."""

import json
from pathlib import Path

import pytest

from dnsplan.formats.planfile import read_plan_file
from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.records import RecordSet, Weighted
from tests.fakes.world import a
from tests.integration.daemons_stage import Daemons, Ended, daemons_stage

WWW = a("www.example.com", "192.0.2.1")
TXT = normal_form(RecordSet(parse_name("example.com"), "TXT", 300, ('"v=spf1; -all"',)))
HALF = RecordSet(parse_name("w.example.com"), "A", 60, ("192.0.2.9",), "x", Weighted(9))


async def export(stage: Daemons, *words: str) -> Ended:
    """Run the command."""
    return await stage.run("runbooks.main:run", "dns-runbook", "export", *words, key="operator")


async def test_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The applied plan goes to a file or a pipe; what a format cannot say is named, and refused
    unless --lossy; mistakes and absent plans have exit codes of their own."""
    async with daemons_stage(tmp_path, monkeypatch) as stage:
        none = await export(stage, "shop")
        assert (none.code, none.out) == (3, "")
        assert "shop has no plan yet" in none.err

        plan = await stage.aws.publish(TXT, HALF, WWW)
        cycle = stage.aws.az()
        await stage.aws.enact(cycle)
        await stage.aws.settle(cycle)

        file = await export(stage, "shop", "--output", "shop.json")
        assert (file.code, file.out) == (0, ""), file.err
        assert file.err == "shop: generation 1, 3 record sets to shop.json\n"
        read = read_plan_file((tmp_path / "shop.json").read_text(), "shop.json")
        assert (read.content, read.zone, read.owner) == (plan.content, plan.zone, plan.owner)

        piped = await export(stage, "shop", "--generation", "1")
        assert piped.out == (tmp_path / "shop.json").read_text()
        assert json.loads(piped.out)["label"] == "shop"

        for form in ("bind", "octodns"):
            refused = await export(stage, "shop", "--format", form, "--output", form)
            assert (refused.code, refused.out) == (3, "")
            assert not (tmp_path / form).exists()
            assert refused.err == (
                "left out: w.example.com. A [x]: it has weighted routing, which only Route 53"
                " knows\n1 of 3 record sets cannot be said in the form"
                f" {form}; nothing was written: --lossy writes the others\n"
            )
        bind = await export(stage, "shop", "--format", "bind", "--lossy")
        assert (bind.code, bind.out) == (
            0,
            (
                "$ORIGIN example.com.\n"
                'example.com. 300 IN TXT "v=spf1; -all"\n'
                "www.example.com. 60 IN A 192.0.2.1\n"
            ),
        )
        assert bind.err.endswith("shop: generation 1, 2 record sets, 1 left out\n")

        assert (await export(stage, "shop", "--generation", "9")).code == 2
        assert (await export(stage, "shop", "--format", "djbdns")).code == 2
        assert (await export(stage, "nowhere")).code == 2
        lost = await export(stage, "shop", "--output", "no/such/place")
        assert lost.code == 1
        assert lost.err.startswith("no/such/place: no such file or directory\n")
