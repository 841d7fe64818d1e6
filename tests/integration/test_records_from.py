"""A zone described by a BIND file, planned as people would: what is left out is said."""

from pathlib import Path

from tests.integration.planner_stage import planner_stage

ZONE = "zones: {shop: {name: example.com, records_from: example.com.zone}}\n"
FILE = """\
$TTL 300
@   SOA ns1.example.net. root.example.net. 1 2 3 4 5
    NS  ns1.example.net.
www A   192.0.2.1
    A   192.0.2.2
"""


def test_plan_from_a_zone_file(tmp_path: Path) -> None:
    """The plan has the file's records and says that SOA and apex NS were left out; a mistake in
    the file is said with its line, before anything is asked of AWS."""
    with planner_stage(tmp_path) as stage:
        stage.write(ZONE)
        file = tmp_path / "example.com.zone"
        file.write_text(FILE)
        assert stage.run("init").code == 0
        planned = stage.run("plan", "--json")
        assert planned.code == 4, planned.err
        (zone,) = planned.zones
        assert [(one["sign"], one["name"], one["answer"]) for one in zone["changes"]] == [
            ("+", "www.example.com.", "192.0.2.1"),
            ("+", "www.example.com.", "192.0.2.2"),
        ]
        remark = "example.com.zone: left out the SOA and the apex NS, which are Route 53's own"
        assert planned.err.splitlines()[0] == remark

        file.write_text(FILE.replace("192.0.2.2", "192.0.2.300"))
        refused = stage.run("plan", "--json")
        assert (refused.code, refused.out) == (2, "")
        assert refused.err == (
            "example.com.zone:5: A 192.0.2.300: Text input is malformed.;"
            " allowed: a line of a zone file, as www 300 IN A 192.0.2.1\n"
        )
