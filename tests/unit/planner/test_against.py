"""`plan --against FILE`: what is refused before anything is asked, and what is said of zones."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from dnsplan.runtime.commands import loaded_config
from planner.main import _tried, app

LIVE = """
azs: [use1-az1]
zones:
  shop: {name: example.com, names: {www: {pool: web}}}
  mail: {name: example.net, names: {mx: {pool: web}}}
pools: {web: {targets: [{id: a, address: 192.0.2.10}]}}
"""


def plan(folder: Path, tried: str, *args: str) -> tuple[int, str]:
    """Exit code and complaints."""
    (folder / "dns.yaml").write_text(LIVE)
    (folder / "next.yaml").write_text(tried)
    config = ("--config", str(folder / "dns.yaml"), "--against", str(folder / "next.yaml"))
    ended = CliRunner().invoke(app, ["plan", *config, *args])
    return ended.exit_code, ended.stderr


@pytest.mark.parametrize(
    ("tried", "args", "words"),
    [
        (f"table: other\n{LIVE}", (), "next.yaml:1: table: other; allowed: dnsplan, as the live"),
        (
            LIVE.replace("mx: {pool: web}", "mx: {pool: wep}"),
            (),
            "next.yaml:5: zones.mail.names.mx",
        ),
        (LIVE, ("--publish",), "put the file in place to publish it"),
        (LIVE.replace("mail:", "post:"), ("mail",), "no zone mail; zones: shop, post"),
    ],
)
def test_what_cannot_be_tried_exits_2(
    tmp_path: Path, tried: str, args: tuple[str, ...], words: str
) -> None:
    """Mistakes by file and line, another table, and publishing what is not live."""
    code, said = plan(tmp_path, tried, *args)
    assert (code, words in said) == (2, True), said


def test_a_zone_that_the_file_lost_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would stay as it is: absence is no instruction."""
    live, path = tmp_path / "dns.yaml", tmp_path / "next.yaml"
    live.write_text(LIVE)
    path.write_text(LIVE.replace("mail:", "post:"))
    tried = _tried(loaded_config(live), path, None)
    assert sorted(tried.settings.zones) == ["post", "shop"]
    assert capsys.readouterr().err == f"mail: not in {path}; its names would stay as they are\n"
    with pytest.raises(typer.Exit):
        _tried(loaded_config(live), tmp_path / "missing.yaml", None)
