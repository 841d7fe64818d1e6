"""What is installed is known: licences that were read, versions that were tested, one list."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.materials import Law, Material, bill, complaints, installed, stale

ROOT = Path(__file__).parents[2]
LAW = Law(frozenset({"MIT", "Apache-2.0"}), frozenset({"MPL-2.0"}), {"unclear": "MIT"})
PACKAGES = {
    "dnsplan": "Provides-Extra: dev\nRequires-Dist: wire[fast]>=1\nRequires-Dist: unclear\n"
    'Requires-Dist: prover; extra == "dev"\nRequires-Dist: elsewhere; sys_platform == "other"',
    "Wire": "License: MIT License\nProvides-Extra: fast\n"
    'Requires-Dist: quick_one; extra == "fast"\nRequires-Dist: slow; extra == "slow"',
    "quick.one": "License-Expression: GPL-3.0-only OR Apache-2.0",
    "unclear": "Classifier: License :: OSI Approved :: BSD License",
    "prover": "Classifier: License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)",
    "slow": "License: MIT",
    "stranger": "License: MIT",
}
PINS = dict.fromkeys(["wire", "quick-one", "unclear", "prover"], "1")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with packages installed in it."""
    for name, text in PACKAGES.items():
        folder = tmp_path / f"{name}-1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {name}\nVersion: 1\n{text}\n")
    return tmp_path


def test_what_we_bring_is_followed_and_nothing_else(site: Path) -> None:
    """Through extras and conditions, with each licence as said or read."""
    assert installed(LAW, [str(site)]) == [
        Material("prover", "1", "excluded", "MPL-2.0", ()),
        Material("quick-one", "1", "required", "GPL-3.0-only OR Apache-2.0", ()),
        Material("unclear", "1", "required", "MIT", ()),
        Material("wire", "1", "required", "MIT", ("quick-one",)),
    ]
    assert list(complaints(installed(LAW, [str(site)]), LAW, PINS)) == []


@pytest.mark.parametrize(
    ("licence", "scope", "complaint"),
    [
        ("GPL-3.0-only", "required", r"GPL-3.0-only is not among tool.materials.product .*MIT\)"),
        ("MIT AND GPL-3.0-only", "excluded", r"not among tool.materials.tools"),
        ("MPL-2.0", "required", r"MPL-2.0 is not among tool.materials.product"),
        (None, "excluded", r"names no single licence.*tool.materials.stated\] one"),
    ],
)
def test_a_licence_that_nobody_read_is_refused(
    licence: str | None, scope: str, complaint: str
) -> None:
    """With the package, the list and the way out; what only tries and tests may be wider."""
    [said] = complaints([Material("one", "1", scope, licence, ())], LAW, {"one": "1"})
    assert re.search(complaint, said), said


def test_a_version_that_was_not_tested_is_refused() -> None:
    """Installed beside the pins, or without one."""
    one = Material("one", "2", "required", "MIT", ())
    for pins, says in ({"one": "1"}, "1"), ({}, "nothing"):
        [said] = complaints([one], LAW, pins)
        assert said.startswith(f"one 2: constraints.txt says {says}; ")


def test_a_stated_licence_hides_no_change(site: Path) -> None:
    """Once a package says it itself, or is gone, the line has to go."""
    law = Law(LAW.product, LAW.tools, {"unclear": "MIT", "slow": "MIT", "gone": "MIT"})
    assert list(stale(law, [str(site)])) == [
        "tool.materials.stated: gone is not installed; take the line out",
        "tool.materials.stated: slow says MIT by itself; take the line out",
    ]


def test_the_list_is_whole_and_the_same_each_time(site: Path) -> None:
    """Every reference leads somewhere; no time and no chance is in it."""
    lists = [bill(installed(LAW, [str(site)]), "1") for _ in range(2)]
    assert lists[0] == lists[1]
    refs = {one["bom-ref"]: one for one in lists[0]["components"]}
    assert set(refs) == {one["purl"] for one in lists[0]["components"]}
    [ours, *others] = lists[0]["dependencies"]
    assert ours["ref"] == lists[0]["metadata"]["component"]["bom-ref"]
    assert {one["ref"] for one in others} == set(refs)
    assert {name for one in lists[0]["dependencies"] for name in one["dependsOn"]} <= set(refs)


def test_this_environment_is_as_agreed(tmp_path: Path) -> None:
    """As `make check` runs it: no complaint, and a list of more than our own requirements."""
    out = tmp_path / "build" / "materials.json"
    command = [sys.executable, str(ROOT / "deploy/materials.py"), "--write", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    written = json.loads(out.read_text())
    assert (written["bomFormat"], written["specVersion"]) == ("CycloneDX", "1.6")
    required = [one["name"] for one in written["components"] if one["scope"] == "required"]
    assert {"aiobotocore", "botocore", "msgspec"} <= set(required)
    assert not {"pytest", "moto", "hypothesis"} & set(required)
