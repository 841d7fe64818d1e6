"""`dns-runbook names` prints all that a policy must list, or nothing, and asks nobody for it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from runbooks.main import app

CONFIG = """\
azs: [use1-az1]
zones:
  shop:
    name: example.com
    id: Z0000000000000000001
    names:
      "@": {pool: web}
      "*.Shop": {records: [{type: A, values: [192.0.2.9]}]}
  away:
    name: example.net
    role_arn: arn:aws:iam::210000000012:role/dns
    names: {www: {records: [{type: A, values: [192.0.2.9]}]}}
pools:
  web: {targets: [{id: a, address: 192.0.2.1}, {id: b, address: 192.0.2.2}]}
"""
SHOP = "_dnsplan.example.com,\\052.shop.example.com,example.com,_dnsplan-shard-*.example.com"
AWAY = "_dnsplan.example.net,www.example.net"


def names(folder: Path, *words: str, config: str = CONFIG) -> Result:
    """Run it on this config."""
    file = folder / "dns.yaml"
    file.write_text(config)
    return CliRunner().invoke(app, ["names", *words, "--config", str(file)])


def many(count: int) -> str:
    """A config of a zone with so many names."""
    stated = "\n".join(
        f"      name-{n:04}: {{records: [{{type: A, values: [192.0.2.9]}}]}}" for n in range(count)
    )
    return f"azs: [az1]\nzones:\n  shop:\n    name: example.com\n    names:\n{stated}\n"


def test_it_prints_one_value_for_the_parameter(tmp_path: Path) -> None:
    """The zones of this account, and a word about those that it leaves out."""
    found = names(tmp_path)
    assert (found.exit_code, found.stdout) == (0, f"{SHOP}\n")
    assert found.stderr == "left out, being in other accounts: away; ask for them by label\n"


@pytest.mark.parametrize(
    ("labels", "value"), [(["away"], AWAY), (["shop", "away"], f"{SHOP},{AWAY}")]
)
def test_zones_are_printed_as_they_are_asked_for(
    tmp_path: Path, labels: list[str], value: str
) -> None:
    """Another account's role takes the same list; as an object it is there in parts."""
    found = names(tmp_path, *labels, "--json")
    assert (found.exit_code, found.stderr) == (0, "")
    assert json.loads(found.stdout) == {
        "zones": labels,
        "names": value.split(","),
        "fitting": len(value.split(",")),
        "record_names": value,
    }


def test_what_does_not_fit_is_not_printed_in_part(tmp_path: Path) -> None:
    """It says how many would fit and what there is to do; a script sees no value."""
    found = names(tmp_path, config=many(300))
    assert (found.exit_code, found.stdout) == (3, "")
    assert found.stderr.startswith("186 of 301 names of 1 zone fit: a parameter of CloudFormation")
    assert "leave RecordNames empty" in found.stderr
    facts = json.loads(names(tmp_path, "--json", config=many(300)).stdout)
    assert (facts["fitting"], facts["record_names"]) == (186, None)
    assert names(tmp_path, config=many(185)).exit_code == 0
    assert names(tmp_path, config=many(186)).exit_code == 3


def test_mistakes(tmp_path: Path) -> None:
    """Exit 2, and what there is instead."""
    found = names(tmp_path, "shpo")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "no zone shpo in the config; there are away, shop" in found.stderr
    config = CONFIG.replace(
        "    id: Z0", "    role_arn: arn:aws:iam::210000000012:role/a\n    id: Z0"
    )
    found = names(tmp_path, config=config)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "every zone has a role_arn; say whose names are wanted: shop, away" in found.stderr
