"""Config files that include others, and what is said of them."""

from pathlib import Path

import pytest

from dnsplan.errors import ConfigError
from dnsplan.runtime.config import load

AZS = "azs: [use1-az1]\n"
NAMES = 'names: {"@": {records: [{type: A, values: [192.0.2.1]}]}}'


def zone(name: str, more: str = "") -> str:
    """A zone's entry."""
    return f"{{name: {name}, {more}{NAMES}}}"


def write(folder: Path, **texts: str) -> Path:
    """Write files (`__` is a folder, all end in .yaml) and give dns.yaml."""
    for name, text in texts.items():
        file = folder / (name.replace("__", "/") + ".yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder / "dns.yaml"


def problems(path: Path | None, environ: dict[str, str] | None = None) -> list[str]:
    """What is said of a file, its folder left out."""
    with pytest.raises(ConfigError) as caught:
        load(path, environ or {})
    folder = f"{path.parent}/" if path else ""
    return [str(one).replace(folder, "") for one in caught.value.problems]
