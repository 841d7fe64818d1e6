"""docs/moving.md shows configs and a plan file that are what they say."""

import re
from pathlib import Path

from dnsplan.formats.planfile import read_plan_file
from dnsplan.runtime.config import desired_static, load

PAGE = Path(__file__).parents[4] / "docs" / "moving.md"


def blocks(language: str) -> list[str]:
    """The page's blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_configs(tmp_path: Path) -> None:
    """Both configs load, the second with a record set of every form."""
    (tmp_path / "config").mkdir()
    (tmp_path / "zones").mkdir()
    (tmp_path / "config" / "example.com.yaml").write_text("a: {type: A, value: 192.0.2.1}\n")
    (tmp_path / "zones" / "example.com.zone").write_text("b 60 A 192.0.2.1\n")
    configs = [text for text in blocks("yaml") if text.startswith("azs:")]
    counts = []
    for text in configs:
        (tmp_path / "dns.yaml").write_text(text)
        content = desired_static(load(tmp_path / "dns.yaml", {}).settings.zones["shop"])
        counts.append((len(content), len({type(one.routing) for one in content})))
    assert counts == [(2, 1), (14, 7)]


def test_a_plan_file() -> None:
    """The plan file is one."""
    (text,) = blocks("json")
    assert len(read_plan_file(text, "shop.json").content) == 2
