"""What a delegation inside the zone takes away is no answer, and the config says so."""

from pathlib import Path

import pytest

from tests.unit.dnsplan.config.texts import said

CONFIG = """\
azs: [a]
zones:
  z: {name: z.test, names: {sub: {records: [{type: NS, values: [ns1.sub.z.test, NS.o.test.]}, &]},
    "NAME": {ENTRY}}}
pools: {p: {targets: [{id: a, address: 192.0.2.1}]}}
"""
ADDRESS = "records: [{type: A, values: [192.0.2.1]}]"
DS = "{type: DS, values: ['1 8 2 " + "ab" * 32 + "']}"


def found(folder: Path, name: str, entry: str, *, beside: str = DS) -> list[str]:
    """What is said of a config with a name of this key and entry, on line 4."""
    text = CONFIG.replace("&", beside).replace("NAME", name).replace("ENTRY", entry)
    return said(folder, text)


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("www.sub", ADDRESS),
        ("WWW.Sub.z.test.", ADDRESS),
        ("*.sub", ADDRESS),
        ("deep.www.sub", "pool: p"),
        ("deep.sub", "records: [{type: NS, values: [ns.other.test.]}]"),
        ("ns1.sub", "records: [{type: TXT, values: [x]}]"),
        ("ns2.sub", ADDRESS),
    ],
)
def test_below(tmp_path: Path, name: str, entry: str) -> None:
    """Whatever stands there, in whatever spelling; a further delegation too."""
    (one,) = found(tmp_path, name, entry)
    assert one.startswith("dns.yaml:4: zones.z.names.")
    assert "below the delegation sub.z.test.; allowed: its NS, its DS and its name servers'" in one


def test_beside(tmp_path: Path) -> None:
    """The name of a delegation has no other types than its own."""
    (one,) = found(tmp_path, "www", ADDRESS, beside="{type: A, values: [192.0.2.1]}")
    assert one.startswith("dns.yaml:3: zones.z.names.sub: sub.z.test., beside the delegation")


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("ns1.sub", ADDRESS),
        ("ns1.sub", "pool: p"),
        ("xsub", ADDRESS),
        ("www", "pool: p"),
    ],
)
def test_what_may_stand(tmp_path: Path, name: str, entry: str) -> None:
    """The addresses of the delegation's own name servers, and what is not below it."""
    assert found(tmp_path, name, entry) == []
