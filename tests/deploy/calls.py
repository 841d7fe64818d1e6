"""The calls that the code makes, read out of its syntax, and those that the page lists."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import botocore.session
from botocore import xform_name

ROOT = Path(__file__).parents[2]
PACKAGES = ("dnsplan", "planner", "enactor", "sentinel", "runbooks")
SERVICES = ("dynamodb", "route53", "sns", "sts", "cloudwatch", "elbv2")
# These two make one request for whoever calls them, so the caller is where the call is made.
ON_BEHALF = {"query_all": "dynamodb:Query", "AioAssumeRoleCredentialFetcher": "sts:AssumeRole"}
NARROWS = ROOT / "dnsplan" / "runtime" / "dynamodb.py"
# A drill speaks to the sandbox that it started, never to AWS.
DRILLING = ROOT / "runbooks" / "drilling"

TIERS = {"look": ("look", "freeze", "change"), "freeze": ("freeze", "change")}


@dataclass(frozen=True, slots=True)
class Listed:
    """One row of the page."""

    action: str
    on: str
    who: tuple[str, ...]
    files: tuple[str, ...]


@cache
def actions_by_method() -> dict[str, str]:
    """The SDK's methods with the actions that IAM knows them by."""
    session = botocore.session.get_session()
    found = {}
    for service in SERVICES:
        prefix = {"elbv2": "elasticloadbalancing"}.get(service, service)
        for operation in session.get_service_model(service).operation_names:
            found[xform_name(operation)] = f"{prefix}:{operation}"
    return found


def calls_in(text: str) -> Iterator[str]:
    """The actions that a module's code asks for: methods of what it calls a client."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in ON_BEHALF:
            yield ON_BEHALF[node.func.id]
        if not isinstance(node.func, ast.Attribute):
            continue
        is_client = "client" in ast.unparse(node.func.value)
        if is_client and node.func.attr in actions_by_method():
            yield actions_by_method()[node.func.attr]


def made_calls() -> set[tuple[str, str]]:
    """Every call with the file that makes it."""
    return {
        (action, str(path.relative_to(ROOT)))
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if path != NARROWS and DRILLING not in path.parents
        for action in calls_in(path.read_text())
    }


def listed_calls(heading: str) -> list[Listed]:
    """The rows of one table of the page."""
    page = (ROOT / "docs" / "permissions.md").read_text()
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    return [
        Listed(
            action=cells[0].strip("`"),
            on=cells[1].strip("`"),
            who=tuple(one for one in re.split(r",\s*", cells[2]) if one != "nobody"),
            files=tuple(re.findall(r"`([\w/]+\.py)`", cells[3])),
        )
        for cells in rows
    ]


def holders(who: tuple[str, ...]) -> set[str]:
    """Those named, and the tiers that hold all that they hold."""
    return {holder for one in who for holder in TIERS.get(one, (one,))}
