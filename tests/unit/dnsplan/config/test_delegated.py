"""A pool at or below a delegation inside the zone answers nobody, and the config says so."""

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


@pytest.mark.parametrize("name", ["www.sub", "WWW.Sub.z.test.", "*.sub", "deep.www.sub", "ns2.sub"])
def test_a_pool_below(tmp_path: Path, name: str) -> None:
    """In whatever spelling."""
    (one,) = found(tmp_path, name, "pool: p")
    assert one.startswith("dns.yaml:4: zones.z.names.")
    assert "below the delegation sub.z.test.; allowed: no pool, but for the delegation's" in one


def test_a_pool_beside(tmp_path: Path) -> None:
    """At the delegation's own name."""
    delegation = "records: [{type: NS, values: [ns.other.test.]}]"
    (one,) = found(tmp_path, "own", f"pool: p, {delegation}")
    assert one.startswith("dns.yaml:4: zones.z.names.own.pool: a pool at own.z.test., beside the")


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("ns1.sub", "pool: p"),
        ("xsub", "pool: p"),
        ("www.sub", ADDRESS),
        ("deep.sub", "records: [{type: NS, values: [ns.other.test.]}]"),
    ],
)
def test_what_may_stand(tmp_path: Path, name: str, entry: str) -> None:
    """The delegation's own name servers, what is not below it, and what is stated."""
    assert found(tmp_path, name, entry) == []
