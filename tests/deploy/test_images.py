"""The image and its sample keep the bounds of the units; both are read here, not built."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.units import CONFIG, read_unit

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "images"
USER = "10001:10001"
STATE = "/var/lib/dnsplan"
PINNED = re.compile(r"[a-z][a-z0-9/-]*(:\d+\.\d+\.\d+-[a-z0-9-]+|@sha256:[0-9a-f]{64})")


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction with what it is given; comments and broken lines are joined away."""
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    lines = re.sub(r"\\\n\s*", "", plain).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line)]


def complaints(text: str) -> Iterator[str]:
    """What is wrong with an image definition; nothing for one that is as it should be."""
    steps = instructions(text)
    bases = [rest.partition(" AS ")[0] for word, rest in steps if word == "FROM"]
    yield from (f"{base} is not pinned" for base in bases if not PINNED.fullmatch(base))
    last = max(place for place, (word, _) in enumerate(steps) if word == "FROM")
    final = steps[last:]
    users = [rest for word, rest in final if word == "USER"]
    if users != [USER] or [word for word, _ in final].index("USER") < max(
        place for place, (word, _) in enumerate(final) if word in {"RUN", "COPY"}
    ):
        yield "it does not end as nobody"
    if [rest for word, rest in steps if word == "VOLUME"] != [STATE]:
        yield "something else than its state is written"
    for word, rest in steps:
        if word == "ADD" or (word == "COPY" and rest.split()[0] in {".", "/"}):
            yield f"{word} takes more than it names"
        if "pip install" in rest and not {"--no-index", "--find-links"} <= set(rest.split()):
            yield "pip asks an index for the image itself"
        if "pip wheel" in rest and ("ENV", "PIP_CONSTRAINT=/src/constraints.txt") not in steps:
            yield "what is built is not pinned"
        if re.search(r"://|apt-get|curl|wget|sudo|chmod (0?777|\+s)", rest):
            yield f"{word} brings what nobody pinned"


TEXT = (FOLDER / "Dockerfile").read_text()


def test_the_image_definition_keeps_its_rules() -> None:
    """No complaint; its programs are started as a list, and exist."""
    assert list(complaints(TEXT)) == []
    started = dict(instructions(TEXT))
    assert "ENTRYPOINT" not in started
    commands = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert json.loads(started["CMD"])[0] in commands


@pytest.mark.parametrize(
    ("there", "instead", "complaint"),
    [
        ("python:3.11.13-slim-bookworm\n", "python:3.11\n", "python:3.11 is not pinned"),
        ("python:3.11.13-slim-bookworm\n", "python\n", "python is not pinned"),
        ("USER 10001:10001\n", "", "it does not end as nobody"),
        ("USER 10001:10001\n", "USER 10001:10001\nRUN true\n", "it does not end as nobody"),
        ("VOLUME /var/lib/dnsplan\n", "VOLUME /opt\n", "something else than its state is written"),
        ("COPY dnsplan dnsplan\n", "COPY . .\n", "COPY takes more than it names"),
        ("--no-index ", "", "pip asks an index for the image itself"),
        ("ENV PIP_CONSTRAINT=/src/constraints.txt\n", "", "what is built is not pinned"),
        ("RUN groupadd", "RUN apt-get install x; groupadd", "RUN brings what nobody pinned"),
    ],
)
def test_a_rule_that_is_broken_is_named(there: str, instead: str, complaint: str) -> None:
    """Each rule looks at what it is about."""
    assert TEXT.count(there) >= 1
    assert complaint in list(complaints(TEXT.replace(there, instead)))


def test_only_what_the_wheel_is_made_of_reaches_the_builder() -> None:
    """Everything is left out but what is copied: no history, no environment, no secret."""
    lines = (FOLDER / "Dockerfile.dockerignore").read_text().splitlines()
    taken = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = {
        name for word, rest in instructions(TEXT) if word == "COPY" for name in rest.split()[:-1]
    }
    assert lines[1] == "*"
    assert taken == copied
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert copied == {
        *packages,
        "deploy",
        "LICENSE",
        "README.md",
        "constraints.txt",
        "pyproject.toml",
    }
    assert all((ROOT / name).exists() for name in copied)


def sample() -> dict[str, Any]:
    """The services of the sample, with what they share filled in."""
    services: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
    return services


SERVICES = {
    "enactor": "dns-enactor@.service",
    "planner": "dns-planner@.service",
    "cleanup": "dns-planner-cleanup.service",
    "sentinel": "dns-sentinel.service",
}


@pytest.mark.parametrize(("service", "unit"), SERVICES.items())
def test_a_container_is_bound_as_its_unit_is(service: str, unit: str) -> None:
    """The same command and role, read-only, without rights, within memory and number of tasks."""
    made, section = sample()[service], read_unit(unit)["Service"]
    started = " ".join(made["command"])
    started = re.sub(r"\$\{AZ:[^}]*\}", "%i", started).replace(" --daemon", "")
    # A container's volume is its own; on a machine the planner's folder has a name of its own.
    of_unit = re.sub(r" --state-dir \S+", "", section["ExecStart"][0])
    assert f"/opt/dnsplan/bin/{started}" == of_unit
    environment = dict(line.split("=", 1) for line in section["Environment"])
    assert environment.items() <= made["environment"].items()
    assert made["read_only"] is True
    assert (made["cap_drop"], made["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert not {"privileged", "cap_add", "user", "devices", "pid", "ipc"} & set(made)
    assert made["mem_limit"] == "1g"
    assert str(made["pids_limit"]) == section["TasksMax"][0]
    assert str(made["ulimits"]["nofile"]) == section["LimitNOFILE"][0]
    assert made["stop_grace_period"] == "50s"
    folder = str(Path(CONFIG).parent)
    assert made["volumes"] == [f"{folder}:{folder}:ro", f"{service}:{STATE}"]


def test_the_sample_has_every_daemon() -> None:
    """And nothing else."""
    assert set(sample()) == set(SERVICES)
