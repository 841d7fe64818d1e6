"""Our evaluator of policies against another one that shares nothing with it: they never differ.

The other is @cloud-copilot/iam-simulate, run as a program of its own; it also knows which actions
and which condition keys AWS has, and says so when we made one up.
"""

import json
import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.calls import listed_calls
from tests.deploy.policies import Json, Request, is_allowed
from tests.deploy.recorded import ASKS_NO_PERMISSION
from tests.deploy.stacks import OTHER_ZONE, ROLES, SECOND_ZONE, ZONE, Deployment
from tests.deploy.test_permissions import PREFIXES, batch, item_call, request_of
from tests.deploy.test_record_names import ALLOWED, FORBIDDEN
from tests.system.required import missing, program

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "build" / "npm" / "node_modules"
RANDOM_CASES = 3_000
JUDGED_WITHIN_S = 100.0
Asked = tuple[tuple[Json, ...], Request]


def judged(asked: Sequence[Asked], account: str) -> list[Any]:
    """The other evaluator's verdicts: whether allowed, and what it ignored or found invalid."""
    if not (PACKAGES / "@cloud-copilot" / "iam-simulate").is_dir():
        missing("@cloud-copilot/iam-simulate")
    question = {
        "account": account,
        "asked": [
            {
                "policies": policies,
                "action": request.action,
                "resource": request.resource,
                "context": _single(request.context),
            }
            for policies, request in asked
        ],
    }
    found = subprocess.run(
        [program("node"), Path(__file__).with_name("judge.mjs"), f"{PACKAGES}/"],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=False,
        timeout=JUDGED_WITHIN_S,
    )
    assert found.returncode == 0, found.stderr[-2_000:]
    verdicts: list[Any] = json.loads(found.stdout)
    return verdicts


def _single(context: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """A key of one value as AWS states it, and lists for those that are lists there."""
    return {
        key: values[0] if key == "cloudwatch:namespace" else list(values)
        for key, values in context.items()
    }


def differences(asked: Sequence[Asked], account: str) -> list[str]:
    """Requests that the two evaluators judge differently, or that AWS does not know."""
    wrong = []
    for (policies, request), verdict in zip(asked, judged(asked, account), strict=True):
        ours = is_allowed(policies, request)
        if verdict != {"allowed": ours, "ignored": []}:
            wrong.append(f"{request}: ours {ours}, the other {verdict}")
    return wrong


def grid(deployment: Deployment) -> Iterator[Request]:
    """Each listed call, plain; then reads and writes of every kind on everything there is."""
    rows = listed_calls("Calls")
    asked = [row for row in rows if row.action != ASKS_NO_PERMISSION]
    yield from (request_of(deployment, row.action, row.on) for row in asked)
    items = ("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem")
    keys = [(), *((key,) for key in PREFIXES), ("gen#shop", "table#")]
    for action, key in product(items, keys):
        yield item_call(deployment, f"dynamodb:{action}", *key)
    fields = ("pk", "sk", "frozen", "head")
    yield item_call(deployment, "dynamodb:UpdateItem", "gen#shop", fields=fields)
    for action in ("Scan", "DeleteTable", "CreateTable", "UpdateTable"):
        yield Request(f"dynamodb:{action}", deployment.table)
    names = (("_dnsplan.example.com",), ("example.com",), ("_dnsplan.example.com", "example.com"))
    types = (("TXT",), ("A", "TXT"), ("NS", "TXT"), ("SOA", "TXT"))
    actions = (("CREATE", "DELETE"), ("UPSERT",), ("DELETE", "UPSERT"))
    for zone, *rest in product((ZONE, SECOND_ZONE, OTHER_ZONE), names, types, actions):
        yield batch(zone, *rest)
    for action, zone in product(
        ("ListResourceRecordSets", "GetHostedZone", "DeleteHostedZone", "GetHostedZoneLimit"),
        (ZONE, OTHER_ZONE),
    ):
        yield Request(f"route53:{action}", zone)


def test_every_role_is_judged_alike(deployment: Deployment) -> None:
    """All roles, all listed calls, and some four hundred that should mostly be denied."""
    account = deployment.table.split(":")[4]
    asked = [(deployment.policies[who], one) for who in ROLES for one in grid(deployment)]
    assert {is_allowed(*one) for one in asked} == {True, False}
    assert differences(asked, account) == []


def test_listed_names_are_judged_alike(named: Deployment) -> None:
    """Those of who writes records and of who freezes: names, escapes and counted shards."""
    account = named.table.split(":")[4]
    asked = [
        (named.policies[who], request)
        for who in ("enactor", "break-glass", "freeze", "planner")
        for request in (*ALLOWED, *FORBIDDEN)
    ]
    assert {is_allowed(*one) for one in asked} == {True, False}
    assert differences(asked, account) == []


def test_random_policies_are_judged_alike() -> None:
    """Statements of every element and operator that our evaluator knows, drawn at random."""
    chance = random.Random(20_251_020)
    asked = [_drawn(chance) for _ in range(RANDOM_CASES)]
    allowed = sum(is_allowed(*one) for one in asked)
    assert RANDOM_CASES * 0.05 < allowed < RANDOM_CASES * 0.95
    assert differences(asked, "123456789012") == []


TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/dnsplan"
ACTIONS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query")
KEYS = ("gen#a", "gen#b", "plan#a", "obs#enactors")
PATTERNS = ("gen#*", "gen#?", "plan#*", "*", "obs#enactors")


def _some(chance: random.Random, pool: Sequence[str], least: int = 1) -> list[str]:
    return chance.sample(pool, chance.randint(least, len(pool)))


def _drawn(chance: random.Random) -> Asked:
    policies = tuple(
        {
            "Version": "2012-10-17",
            "Statement": [_statement(chance) for _ in range(chance.randint(1, 3))],
        }
        for _ in range(chance.randint(1, 2))
    )
    context = {"dynamodb:LeadingKeys": tuple(_some(chance, KEYS))} if chance.random() < 0.8 else {}
    resource = chance.choice((TABLE, f"{TABLE}2"))
    return policies, Request(chance.choice(ACTIONS), resource, context)


def _statement(chance: random.Random) -> dict[str, Any]:
    condition: dict[str, Any] = {}
    key = "dynamodb:LeadingKeys"
    if chance.random() < 0.4:
        condition["ForAllValues:StringLike"] = {key: _some(chance, PATTERNS)}
    if chance.random() < 0.3:
        condition["ForAllValues:StringEquals"] = {key: _some(chance, KEYS)}
    if chance.random() < 0.4:
        condition["Null"] = {key: chance.choice(("true", "false"))}
    action = chance.choice((*ACTIONS, "dynamodb:*", "DYNAMODB:getitem", "dynamodb:?uery"))
    return {
        "Effect": chance.choices(("Allow", "Deny"), (5, 1))[0],
        "Action": chance.choice((action, [action, chance.choice(ACTIONS)])),
        "Resource": chance.choice((TABLE, f"{TABLE}*", "*", [TABLE, f"{TABLE}2"])),
        **({"Condition": condition} if condition else {}),
    }
