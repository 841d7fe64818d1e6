"""The systemd units as tests read them."""

import sys
from pathlib import Path

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"
BIN = Path(sys.executable).parent
INSTALLED = "/opt/dnsplan/bin/"
CONFIG = "/etc/dnsplan/dns.yaml"
PLANNER_STATE = "/var/lib/dnsplan-planner"
AZ = "use1-az1"

Unit = dict[str, dict[str, list[str]]]


def read_unit(name: str) -> Unit:
    """A unit of the release."""
    return parse_unit((UNITS / name).read_text())


def parse_unit(text: str) -> Unit:
    """Sections with their keys; a key that stands twice keeps both values."""
    unit: Unit = {}
    keys: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            keys = unit.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            keys.setdefault(key, []).append(value)
    return unit


def services() -> list[str]:
    """The names of all services."""
    return sorted(path.name for path in UNITS.glob("*.service"))


def daemons() -> list[str]:
    """The services that run until they are told to stop."""
    return [name for name in services() if read_unit(name)["Service"]["Type"] == ["notify"]]


def command_of(name: str, config: Path | str = CONFIG) -> list[str]:
    """The command that a service starts, as this environment has it installed; with a config of a
    test, the state is beside that."""
    [line] = read_unit(name)["Service"]["ExecStart"]
    if config != CONFIG:
        line = line.replace(PLANNER_STATE, str(Path(config).parent))
    program, *arguments = line.replace("%i", AZ).replace(CONFIG, str(config)).split()
    assert program.startswith(INSTALLED), program
    return [str(BIN / program.removeprefix(INSTALLED)), *arguments]
