"""A running sentinel takes up another config by beginning its works anew."""

import os
from pathlib import Path

from dnsplan.runtime.config import load
from dnsplan.runtime.config.rereading import ConfigFiles
from dnsplan.runtime.periodic import Stop
from sentinel.reloading import Stated, reloading_for
from tests.fakes.clock import FakeClock

ONE = """
azs: [az1]
zones:
  shop: {name: example.com, names: {www: {records: [{type: A, values: [192.0.2.1]}]}}}
"""
TWO = ONE + ONE.splitlines()[-1].replace("shop", "cafe").replace("example.com", "x.test") + "\n"


def stated(path: Path, labels: list[str] | None = None) -> Stated:
    """As `run` was started on the file."""
    return Stated(ConfigFiles(load(path, {}), {}), labels, {})


def put(path: Path, text: str) -> None:
    """Another config."""
    path.write_text(text)
    os.utime(path, (1, 1))


async def taken(one: Stated, path: Path, text: str) -> Stop:
    """The works' stop after another config has settled."""
    stop = Stop()
    reloading = reloading_for(one, stop, FakeClock())
    put(path, text)
    for _ in range(2):
        await reloading.run_once()
    return stop


async def test_works_end_and_go_on_with_the_new_names(tmp_path: Path) -> None:
    """The process does not end."""
    path = tmp_path / "dns.yaml"
    path.write_text(ONE)
    one = stated(path)
    stop = await taken(one, path, TWO)
    assert (stop.asked.is_set(), stop.goes_on) == (True, True)
    assert sorted(one.watching().zones) == ["cafe", "shop"]


async def test_a_signal_to_stop_outdoes_another_config(tmp_path: Path) -> None:
    """Whichever comes first."""
    path = tmp_path / "dns.yaml"
    path.write_text(ONE)
    stop = await taken(stated(path), path, TWO)
    stop.request()
    assert (stop.goes_on, stop.at_once.is_set()) == (False, False)
    stop.request_anew()
    assert not stop.goes_on


async def test_a_broken_one_and_one_without_a_named_zone_change_nothing(tmp_path: Path) -> None:
    """An option names zones that must be there; another table is nothing to a sentinel."""
    path = tmp_path / "dns.yaml"
    for text, labels, is_taken in (
        (TWO.replace("name:", "nmae:", 1), None, False),
        (TWO.replace("shop", "store"), ["shop"], False),
        ("table: other\n" + TWO, ["shop"], True),
    ):
        put(path, ONE)
        one = stated(path, labels)
        stop = await taken(one, path, text)
        assert stop.asked.is_set() is is_taken
        assert list(one.watching().zones) == ["shop"]
