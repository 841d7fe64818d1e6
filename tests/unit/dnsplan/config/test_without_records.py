"""Who moves plans that exist reads no records files: no size or mistake of one is in the way."""

from pathlib import Path

import pytest

from dnsplan.errors import ConfigError
from dnsplan.runtime.config import load
from dnsplan.runtime.config.rereading import ConfigFiles

CONFIG = """\
azs: [use1-az1]
zones:
  shop:
    name: shop.example.com
    records_from: shop.zone
    names: {www: {records: [{type: A, values: [192.0.2.1]}]}}
"""


def stated(folder: Path, records: str = "www2 300 IN A 192.0.2.2\n") -> Path:
    """The config and its records file."""
    (folder / "shop.zone").write_text(f"$ORIGIN shop.example.com.\n{records}")
    (folder / "dns.yaml").write_text(CONFIG)
    return folder / "dns.yaml"


def test_a_broken_records_file_is_in_nobodys_way_who_needs_none(tmp_path: Path) -> None:
    """The planner refuses it; a freeze and an enactor go on."""
    path = stated(tmp_path, "this is no record\n")
    with pytest.raises(ConfigError, match=r"shop\.zone"):
        load(path, {})
    assert list(load(path, {}, records=False).settings.zones["shop"].names) == ["www"]


def test_what_was_read_without_records_is_read_anew_without(tmp_path: Path) -> None:
    """A records file that changes is no other config; the config's own change is."""
    path = stated(tmp_path)
    watched = ConfigFiles(load(path, {}, records=False), {})
    (tmp_path / "shop.zone").write_text("this is no record\n")
    assert [watched.look() for _ in range(3)] == [None] * 3
    path.write_text(CONFIG + "pools: {}\n")
    watched.look()
    assert watched.look() is not None
    assert list(watched.settings.zones["shop"].names) == ["www"]
