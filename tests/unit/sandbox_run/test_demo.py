"""Which demo servers run, and that the bundled example is the documented one."""

from pathlib import Path

import pytest

from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.keys import keyring_of, signer_of
from dnsplan.vouch import Role
from sandbox.run.demo import (
    EXAMPLE_PORT,
    backends_of,
    example_keys,
    example_text,
    write_example,
)
from sandbox.run.hosts import BackendAddress, parse_address

ROOT = Path(__file__).parents[3]


def settings(folder: Path, pools: str) -> Settings:
    """Settings with these pools."""
    names = "".join(
        f"      n{i}: {{pool: {pool}}}\n" for i, pool in enumerate(("one", "two")) if pool in pools
    )
    path = folder / "dns.yaml"
    path.write_text(
        f"azs: [a]\nzones:\n  z:\n    name: example.com\n    names:\n{names}pools:\n{pools}"
    )
    return load(path, {}).settings


def test_the_documented_demo_is_the_bundled_one() -> None:
    """A person who copies docs/examples/demo.yaml gets what `dns-sandbox run` runs."""
    assert example_text() == (ROOT / "docs" / "examples" / "demo.yaml").read_text()


def test_the_example_signs_its_plans(tmp_path: Path) -> None:
    """With keys of its own run, which its daemons and its commands find."""
    path = tmp_path / "demo.yaml"
    write_example(path, port=EXAMPLE_PORT, signing=example_keys(tmp_path))
    section = load(path, {}).settings.signing
    assert keyring_of(section).checks
    signers = [signer_of(section, role, {}) for role in Role]
    assert [one.key_id for one in signers if one is not None] == ["planner-1", "operator-1"]


def test_the_example_runs_on_another_port_when_its_own_is_taken(tmp_path: Path) -> None:
    """Every server and every probe moves with it, and nothing else changes."""
    path = tmp_path / "demo.yaml"
    write_example(path, port=EXAMPLE_PORT)
    usual = load(path, {}).settings
    write_example(path, port=4711)
    moved = load(path, {}).settings
    assert {4711} == {one.port for one in backends_of(moved)}
    assert [one.id for one in backends_of(usual)] == [one.id for one in backends_of(moved)]
    assert usual.zones == moved.zones
    assert {EXAMPLE_PORT} == {one.port for one in backends_of(usual)}


def test_only_probed_loopback_addresses_are_served(tmp_path: Path) -> None:
    """A real host is never imitated, and what nobody probes needs no server."""
    found = backends_of(
        settings(
            tmp_path,
            "  one:\n"
            "    targets: [{id: here, address: 127.0.0.9}, {id: there, address: 192.0.2.1}]\n"
            "    health: {tcp: {port: 81}}\n"
            "  two:\n"
            "    targets: [{id: unprobed, address: 127.0.0.8}]\n",
        )
    )
    assert found == (BackendAddress("here", "127.0.0.9", 81),)


def test_a_tls_probe_gets_no_server(tmp_path: Path) -> None:
    """The demo servers speak plain HTTP; a wrong one would only look like a dead host."""
    found = backends_of(
        settings(
            tmp_path,
            "  one:\n"
            "    targets: [{id: a, address: 127.0.0.9}]\n"
            "    health: {http: {port: 81, tls: true}}\n",
        )
    )
    assert found == ()


def test_one_id_in_two_pools_is_two_servers(tmp_path: Path) -> None:
    """A server is stopped by its id, so ids are told apart; one address and port is one server."""
    found = backends_of(
        settings(
            tmp_path,
            "  one:\n"
            "    targets: [{id: a, address: 127.0.0.9}]\n"
            "    health: {tcp: {port: 81}}\n"
            "  two:\n"
            "    targets: [{id: a, address: 127.0.0.10}, {id: b, address: 127.0.0.9}]\n"
            "    health: {tcp: {port: 81}}\n",
        )
    )
    assert found == (
        BackendAddress("a", "127.0.0.9", 81),
        BackendAddress("two-a", "127.0.0.10", 81),
    )


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_an_address_survives_the_command_line(address: str) -> None:
    """What the sandbox writes for the servers' process is what that reads."""
    where = BackendAddress("web-a", address, 81)
    assert where == parse_address(str(where))
