"""Lists what is installed with dnsplan, and refuses a licence that nobody looked at.

Reads the metadata of this environment alone; asks no index and changes nothing. What is allowed
stands in pyproject.toml, what is pinned in constraints.txt. The list is CycloneDX JSON and the
same for the same installation: it bears no time and no chance.
"""

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
OURS = "dnsplan"
# What each part of our requirements is to whoever runs dnsplan, in CycloneDX's words.
SCOPES = {"": "required", "sandbox": "optional", "dev": "excluded"}
SPELLINGS = {
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd 2-clause license": "BSD-2-Clause",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}


@dataclass(frozen=True, slots=True)
class Law:
    """What pyproject.toml allows. `stated`: licences that a package's metadata leaves unclear."""

    product: frozenset[str]
    tools: frozenset[str]
    stated: Mapping[str, str]

    def allows(self, expression: str, scope: str) -> bool:
        """Of an OR one has to be allowed, of an AND all."""
        allowed = self.product if scope == "required" else self.product | self.tools
        return any(
            all(word.strip(" ()") in allowed for word in choice.split(" AND "))
            for choice in expression.split(" OR ")
        )


@dataclass(frozen=True, slots=True)
class Material:
    """One installed package. `needs`: what it asks for by name; `licence`: None when unclear."""

    name: str
    version: str
    scope: str
    licence: str | None
    needs: tuple[str, ...]

    @property
    def purl(self) -> str:
        """How lists of vulnerabilities call it."""
        return f"pkg:pypi/{self.name}@{self.version}"


def spelled(name: str) -> str:
    """The one spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(package: metadata.PackageMetadata, known: Iterable[str]) -> str | None:
    """What the package says of itself, if that is one licence or an expression of them."""
    if "License-Expression" in package:
        return str(package["License-Expression"])
    said = str(package["License"]).strip() if "License" in package else ""
    classified = [
        line.rpartition(" :: ")[2]
        for line in package.get_all("Classifier") or []
        if line.startswith("License :: ")
    ]
    for word in [said, *(classified if len(classified) == 1 else [])]:
        licence: str = SPELLINGS.get(word.lower(), word)
        if licence in known:
            return licence
    return None


def installed(law: Law, path: list[str]) -> list[Material]:
    """Everything that dnsplan brings, each under the part that needs it most."""
    found = {spelled(one.name): one for one in metadata.distributions(path=path)}
    known = law.product | law.tools
    scopes: dict[str, str] = {}
    needs: dict[str, set[str]] = {}
    for part, scope in SCOPES.items():
        waiting, seen = [(OURS, part)], set[tuple[str, str]]()
        while waiting:
            name, extra = waiting.pop()
            if (name, extra) in seen or name not in found:
                continue
            seen.add((name, extra))
            scopes.setdefault(name, scope)
            for wanted in _wants(found[name], extra):
                needs.setdefault(name, set()).add(spelled(wanted.name))
                waiting += [(spelled(wanted.name), one) for one in ("", *wanted.extras)]
    return [
        Material(
            name,
            found[name].version,
            scope,
            licence_of(found[name].metadata, known) or law.stated.get(name),
            tuple(sorted(needs.get(name, set()) & set(scopes))),
        )
        for name, scope in sorted(scopes.items())
        if name != OURS
    ]


def _wants(package: metadata.Distribution, extra: str) -> Iterator[Requirement]:
    """What a package asks for by one of its extras, on this Python and system."""
    for wanted in map(Requirement, package.requires or []):
        if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
            yield wanted


def complaints(materials: list[Material], law: Law, pins: Mapping[str, str]) -> Iterator[str]:
    """What has to be looked at before this is shipped."""
    for one in materials:
        who = f"{one.name} {one.version}"
        if one.licence is None:
            yield (
                f"{who}: its metadata names no single licence; read its licence file, and state "
                f"it in pyproject.toml: [tool.materials.stated] {one.name} = ..."
            )
        elif not law.allows(one.licence, one.scope):
            part, allowed = (
                ("product", law.product)
                if one.scope == "required"
                else ("tools", law.product | law.tools)
            )
            yield (
                f"{who}: {one.licence} is not among tool.materials.{part} of pyproject.toml "
                f"({', '.join(sorted(allowed))}); do without the package, or read the licence and "
                "allow it there"
            )
        if pins.get(one.name) != one.version:
            yield (
                f"{who}: constraints.txt says {pins.get(one.name, 'nothing')}; "
                "`make clean` and install again, or pin what was tested"
            )


def stale(law: Law, path: list[str]) -> Iterator[str]:
    """Licences that are stated though the package now says it itself, or is gone."""
    found = {spelled(one.name): one for one in metadata.distributions(path=path)}
    for name in sorted(law.stated):
        if name not in found:
            yield f"tool.materials.stated: {name} is not installed; take the line out"
        elif says := licence_of(found[name].metadata, law.product | law.tools):
            yield f"tool.materials.stated: {name} says {says} by itself; take the line out"


def bill(materials: list[Material], version: str) -> dict[str, Any]:
    """The list as CycloneDX 1.6."""
    refs = {one.name: one.purl for one in materials}
    ours = f"pkg:pypi/{OURS}@{version}"
    roots = [one.purl for one in materials if one.scope == "required"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": ours,
                "name": OURS,
                "version": version,
                "purl": ours,
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": one.purl,
                "name": one.name,
                "version": one.version,
                "purl": one.purl,
                "scope": one.scope,
                "licenses": [{"expression": one.licence}],
            }
            for one in materials
        ],
        "dependencies": [
            {"ref": ours, "dependsOn": roots},
            *(
                {"ref": one.purl, "dependsOn": [refs[name] for name in one.needs]}
                for one in materials
            ),
        ],
    }


def law_of(project: Path) -> Law:
    """The part of pyproject.toml that is about licences."""
    stated = tomllib.loads(project.read_text())["tool"]["materials"]
    return Law(frozenset(stated["product"]), frozenset(stated["tools"]), stated["stated"])


def pins_of(constraints: Path) -> dict[str, str]:
    """The version of each package."""
    lines = (line.partition("==") for line in constraints.read_text().splitlines())
    return {spelled(name): version for name, equal, version in lines if equal}


def main() -> int:
    """Check this environment, and write its list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the list there")
    wanted = parser.parse_args()
    law = law_of(ROOT / "pyproject.toml")
    materials = installed(law, sys.path)
    pins = pins_of(ROOT / "constraints.txt")
    wrong = [*complaints(materials, law, pins), *stale(law, sys.path)]
    if wrong:
        sys.stderr.write("".join(f"{line}\n" for line in wrong))
        return 1
    if wanted.write:
        wanted.write.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(bill(materials, metadata.version(OURS)), indent=1)
        wanted.write.write_text(text + "\n")
    shipped = sum(one.scope == "required" for one in materials)
    sys.stdout.write(
        f"{shipped} packages with dnsplan, {len(materials) - shipped} to try and test it: "
        "licences and versions as agreed\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
