"""Small config files: a sound one, and how to load a text and see what is said about it."""

from collections.abc import Mapping
from pathlib import Path

from dnsplan.errors import ConfigError
from dnsplan.runtime.config import LoadedConfig, load

SOUND = """\
azs: [use1-az1, use1-az2]
zones:
  shop:
    name: example.com
    names:
      "@": {pool: web, records: [{type: MX, values: ["10 mail.example.com."]}]}
      www: {records: [{type: CNAME, values: [example.com.]}]}
pools:
  web:
    targets:
      - {id: a, address: 192.0.2.10, az: use1-az1}
      - {id: b, address: "2001:db8::10"}
    health: {tcp: {port: 443}}
"""


def loaded(
    folder: Path, text: str = SOUND, environ: Mapping[str, str] | None = None
) -> LoadedConfig:
    """Load a text as dns.yaml of the folder."""
    file = folder / "dns.yaml"
    file.write_text(text)
    return load(file, environ or {})


def said(folder: Path, text: str, environ: Mapping[str, str] | None = None) -> list[str]:
    """What is said about a text: one line a problem, files relative to the folder."""
    try:
        loaded(folder, text, environ)
    except ConfigError as error:
        lines = str(error).splitlines()
        return [line.replace(f"{folder}/", "") for line in lines]
    return []


def with_name(entry: str, *, zone: str = "", pools: str = "", key: str = "www") -> str:
    """A config whose one name is on line 5, with the pools web and edge after it."""
    return (
        f"azs: [use1-az1]\nzones:\n  shop: {{name: example.com, {zone} names: {{\n"
        f'    ok: {{records: [{{type: A, values: [192.0.2.9]}}]}},\n    "{key}": {entry}\n  }}}}\n'
        "pools:\n  web: {targets: [{id: a, address: 192.0.2.1}, {id: b, address: 192.0.2.2}]}\n"
        "  edge: {targets: [{id: e, alias: {name: e.example.net, zone_id: Z2}}]}\n" + pools
    )


def with_pool(pool: str, *, rest: str = "") -> str:
    """A config whose pool web is on line 5."""
    return (
        "azs: [use1-az1, use1-az2]\nzones:\n"
        '  shop: {name: example.com, names: {"@": {pool: web}}}\n'
        f"pools:\n  web: {pool}\n{rest}"
    )


def zones(*entries: str) -> str:
    """A config with these zones from line 3 on."""
    return "azs: [use1-az1]\nzones:\n" + "".join(f"  {entry}\n" for entry in entries)


def zone(label: str, name: str, more: str = "") -> str:
    """One zone's line, with one name."""
    names = 'names: {"@": {records: [{type: A, values: [192.0.2.1]}]}}'
    return f"{label}: {{name: {name}, {more}{names}}}"
