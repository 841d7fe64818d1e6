"""The file that --save writes is the way back: no second run takes it away. What cannot be read in
a file has its way on."""

import json
from pathlib import Path

import pytest

from dnsplan.errors import ConfigError
from dnsplan.formats.planfile import FORMAT
from runbooks.restoring.file import read_file
from runbooks.restoring.saving import save


def test_what_stood_is_never_written_over(tmp_path: Path) -> None:
    """A restore that was stopped half-way goes on by the same command, --save and all."""
    told: list[str] = []
    file = tmp_path / "before.json"
    for text in ("all of it", "half of it", "nearly nothing"):
        save(file, text, told.append)
    found = {one.name: one.read_text() for one in tmp_path.iterdir()}
    assert found == {
        "before.json": "all of it",
        "before-2.json": "half of it",
        "before-3.json": "nearly nothing",
    }
    assert told[:2] == [
        f"what stands now is written to {file}",
        f"{file} is there already and is kept, as what stood before",
    ]


def test_a_record_that_cannot_go_out_may_be_taken_out(tmp_path: Path) -> None:
    """An adopted zone's files hold what others wrote; said once."""
    bad = [
        {"name": f"{name}.example.com.", "type": kind, "ttl_s": 60, "values": [value]}
        for name, kind, value in (("a", "AAAA", "::ffff:192.0.2.1"), ("b", "TLSA", "3 1 1 abab"))
    ]
    header = dict.fromkeys(("label", "owner", "digest", "author", "reason"), "x")
    text = {"format": FORMAT, "zone": "example.com.", "generation": 1, **header, "records": bad}
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(text))
    with pytest.raises(ConfigError) as caught:
        read_file(file)
    *mistakes, way_on = map(str, caught.value.problems)
    assert [one.partition(": ")[2].partition(":")[0] for one in mistakes] == [
        "records[0]",
        "records[1]",
    ]
    assert way_on == (
        f"{file}: records: 2 record sets that cannot go out as stated; allowed: a file without;"
        " what it does not state stays as it stands"
    )
    file.write_text("{}")
    with pytest.raises(ConfigError) as other:
        read_file(file)
    assert "a file without" not in str(other.value)
