"""Code, page and policies agree: each role may make the calls that its code makes, and no other."""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import product

import pytest

from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, Digest
from dnsplan.runtime.table_expressions import key_of, update_request
from dnsplan.transitions import freeze, thaw
from runbooks.preflight.calls import TABLE_CALLS, ZONE_CALLS
from tests.deploy.calls import holders, listed_calls, made_calls
from tests.deploy.policies import Request, is_allowed, listed
from tests.deploy.stacks import (
    OTHER_ZONE,
    ROLES,
    SECOND_ZONE,
    ZONE,
    ZONE_ROLE,
    Deployment,
    deployed,
)

CHANGE = "arn:aws:route53:::change/C0000000000000000001"
DAEMONS = ("planner", "enactor", "cleanup", "sentinel")
OPERATORS = ("look", "freeze", "change", "break-glass")
FROZEN = ("pk", "sk", "owner", "incarnation", "frozen", "nonce")


def item_call(
    deployment: Deployment, action: str, *keys: str, fields: Sequence[str] = FROZEN
) -> Request:
    """A call on items of the table."""
    context = {"dynamodb:LeadingKeys": keys, "dynamodb:Attributes": fields}
    return Request(action, deployment.table, context if keys else {})


def batch(
    zone: str = ZONE,
    names: Sequence[str] = ("_dnsplan.example.com",),
    types: Sequence[str] = ("TXT",),
    actions: Sequence[str] = ("CREATE", "DELETE"),
) -> Request:
    """A change batch; by default a fence moves."""
    context: Mapping[str, Sequence[str]] = {
        "route53:ChangeResourceRecordSetsNormalizedRecordNames": names,
        "route53:ChangeResourceRecordSetsRecordTypes": types,
        "route53:ChangeResourceRecordSetsActions": actions,
    }
    return Request("route53:ChangeResourceRecordSets", zone, context)


def request_of(deployment: Deployment, action: str, on: str) -> Request:
    """The plainest request that a row of the page speaks of."""
    if action == "route53:ChangeResourceRecordSets":
        return batch()
    if "#" in on:
        return item_call(deployment, action, f"{on}shop" if on.endswith("#") else on)
    resources = {
        "table": deployment.table,
        "zones": ZONE,
        "changes": CHANGE,
        "any": "*",
        "caller": "*",
        "ZoneRoleArns": ZONE_ROLE,
        "PageTopicArn": deployment.outputs["PageTopicArn"],
        "one namespace": "*",
    }
    context = {"cloudwatch:namespace": ("dnsplan",)} if on == "one namespace" else {}
    return Request(action, resources[on], context)


def test_the_page_lists_the_calls_that_the_code_makes() -> None:
    """Every client method that is called, with its file; and none that is not."""
    listed_here = {(row.action, file) for row in listed_calls("Calls") for file in row.files}
    assert made_calls() == listed_here


def test_each_role_may_make_its_calls_and_no_other_role_may(deployment: Deployment) -> None:
    """For every call on the page: exactly those who are named, and the tiers above them."""
    wrong = []
    for row in listed_calls("Calls"):
        request = request_of(deployment, row.action, row.on)
        may = {who for who in ROLES if is_allowed(deployment.policies[who], request)}
        if may != holders(row.who):
            wrong.append(f"{row.action} on {row.on}: {sorted(may)}, not {sorted(holders(row.who))}")
    assert wrong == []


def test_no_role_is_granted_what_the_page_does_not_list(deployment: Deployment) -> None:
    """Action by action."""
    rows = listed_calls("Calls")
    for who in DAEMONS + OPERATORS:
        granted = {
            action
            for policy in deployment.policies[who]
            for statement in policy["Statement"]
            for action in listed(statement["Action"])
        }
        assert granted == {row.action for row in rows if who in holders(row.who)}, who


def test_no_wildcard_stands_where_a_name_can(deployment: Deployment) -> None:
    """No action has one; as a resource it stands for calls that have no resources."""
    anywhere = set()
    for policies in deployment.policies.values():
        for statement in reduce(list.__add__, [policy["Statement"] for policy in policies]):
            assert statement["Effect"] == "Allow"
            assert not [one for one in listed(statement["Action"]) if "*" in one]
            if "*" in listed(statement["Resource"]):
                anywhere.update(listed(statement["Action"]))
    assert anywhere == {
        "route53:ListHostedZones",
        "route53:ListHostedZonesByName",
        "cloudwatch:PutMetricData",
        "elasticloadbalancing:DescribeLoadBalancers",
        "elasticloadbalancing:DescribeTags",
        "elasticloadbalancing:DescribeTargetGroups",
        "elasticloadbalancing:DescribeTargetHealth",
    }


def test_every_condition_asks_for_its_key_and_names_it_whole(deployment: Deployment) -> None:
    """ForAllValues holds where the key is absent, so Null stands beside it; and a leading key is
    one of those that the page lists."""
    known = {row.on for row in listed_calls("Calls") if "#" in row.on}
    for policies in deployment.policies.values():
        for statement in reduce(list.__add__, [policy["Statement"] for policy in policies]):
            condition = statement.get("Condition", {})
            for_all = {
                key: values
                for operator, keys in condition.items()
                if operator.startswith("ForAllValues:")
                for key, values in keys.items()
            }
            assert condition.get("Null", {}) == dict.fromkeys(for_all, "false"), statement
            keys = listed(for_all.get("dynamodb:LeadingKeys", []))
            assert {key.removesuffix("*") for key in keys} <= known, statement


PREFIXES = (
    "gen#shop",
    "plan#shop",
    "row#shop",
    "exc#shop",
    "obs#enactors",
    "obs#health",
    "audit#shop",
    "table#",
)
ROUTE53 = ("ChangeResourceRecordSets", "ListResourceRecordSets", "GetHostedZone", "GetChange")


def test_the_planner_has_no_route53(deployment: Deployment) -> None:
    """Neither reads nor writes, on any zone."""
    for action in ROUTE53:
        for resource in (ZONE, CHANGE, "*"):
            call = Request(f"route53:{action}", resource, batch().context)
            assert not is_allowed(deployment.policies["planner"], call), call


def test_only_enactors_and_break_glass_write_records(deployment: Deployment) -> None:
    """A record of a name; nobody else, whatever else he may do."""
    call = batch(names=("_dnsplan.example.com", "example.com"), types=("TXT", "A"))
    assert {w for w in ROLES if is_allowed(deployment.policies[w], call)} == {
        "enactor",
        "break-glass",
    }


def test_freezing_moves_fences_and_the_frozen_field_only(deployment: Deployment) -> None:
    """No other record, no other type, and no field of the item that freeze does not name."""
    mine = deployment.policies["freeze"]
    assert is_allowed(mine, batch())
    for call in (
        batch(names=("example.com",)),
        batch(names=("_dnsplan.example.com", "example.com")),
        batch(names=("x._dnsplan.example.com",)),
        batch(types=("TXT", "A")),
        batch(actions=("UPSERT",)),
        batch(zone=OTHER_ZONE),
        item_call(deployment, "dynamodb:UpdateItem", "gen#shop", fields=(*FROZEN, "head")),
        item_call(deployment, "dynamodb:UpdateItem", "gen#shop", fields=("pk", "sk", "floor")),
        item_call(deployment, "dynamodb:PutItem", "gen#shop"),
        item_call(deployment, "dynamodb:DeleteItem", "audit#shop"),
        item_call(deployment, "dynamodb:UpdateItem", "audit#shop"),
    ):
        assert not is_allowed(mine, call), call


def test_freeze_and_thaw_name_no_other_field(deployment: Deployment) -> None:
    """The transitions that the code really writes, against the policy's list of fields."""
    item = GenerationItem(
        label="shop",
        owner="o",
        incarnation="i",
        nonce="n",
        zone_id="Z",
        head=NO_GENERATION,
        head_digest=Digest("d"),
        claimed=NO_GENERATION,
        applied=NO_GENERATION,
        applied_fence=None,
        last_known_good=NO_GENERATION,
        floor=NO_GENERATION,
        frozen=None,
        pin=None,
        pin_digest=None,
        ahead=None,
    )
    for transition in (freeze(item, "f", nonce="n"), thaw(item, "f", nonce="n")):
        names = update_request(transition)["ExpressionAttributeNames"].values()
        fields = tuple(sorted({*names, *key_of("shop")}))
        call = item_call(deployment, "dynamodb:UpdateItem", "gen#shop", fields=fields)
        assert is_allowed(deployment.policies["freeze"], call), fields


def test_enactors_write_exactly(deployment: Deployment) -> None:
    """Their zones only, no UPSERT, no SOA or delegation, and never a batch without its keys."""
    mine = deployment.policies["enactor"]
    assert is_allowed(mine, batch(zone=SECOND_ZONE, names=("a.example.net",), types=("TXT", "A")))
    for call in (
        batch(zone=OTHER_ZONE),
        batch(actions=("UPSERT",)),
        batch(actions=("DELETE", "UPSERT")),
        *(batch(types=("TXT", kind)) for kind in ("SOA", "NS", "DS", "DNSKEY")),
        Request("route53:ChangeResourceRecordSets", ZONE),
        Request("route53:DeleteHostedZone", ZONE),
        Request("route53:ListResourceRecordSets", OTHER_ZONE),
    ):
        assert not is_allowed(mine, call), call


def test_enactors_delete_and_publish_no_plan(deployment: Deployment) -> None:
    """Bodies and rows are the planner's to write and cleanup's to delete."""
    actions = ("DeleteItem", "PutItem", "UpdateItem", "BatchWriteItem")
    for action, key in product(actions, ("plan#shop", "row#shop", "audit#shop", "table#")):
        call = item_call(deployment, f"dynamodb:{action}", key)
        assert not is_allowed(deployment.policies["enactor"], call), call


def test_cleanup_lists_zones_and_deletes_plans_only(deployment: Deployment) -> None:
    """It writes no DNS, and deletes plans with their rows, no item nor anything of another kind."""
    mine = deployment.policies["cleanup"]
    for key in ("plan#shop", "row#shop"):
        assert is_allowed(mine, item_call(deployment, "dynamodb:DeleteItem", key))
    assert not is_allowed(mine, batch())
    assert not is_allowed(mine, Request("route53:ListResourceRecordSets", OTHER_ZONE))
    for key in PREFIXES:
        if key not in ("plan#shop", "row#shop"):
            assert not is_allowed(mine, item_call(deployment, "dynamodb:DeleteItem", key)), key
        assert not is_allowed(mine, item_call(deployment, "dynamodb:PutItem", key)), key


def test_the_sentinel_has_no_table(deployment: Deployment) -> None:
    """Whatever befalls the table cannot befall it; and it changes no zone."""
    actions = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "DescribeTable", "Scan")
    for action, key in product(actions, ("", *PREFIXES)):
        call = item_call(deployment, f"dynamodb:{action}", *([key] if key else []))
        assert not is_allowed(deployment.policies["sentinel"], call), call
    assert not is_allowed(deployment.policies["sentinel"], batch())
    metric = Request("cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": ("AWS/Route53",)})
    topic = Request("sns:Publish", f"{deployment.outputs['PageTopicArn']}-of-others")
    for call in (metric, topic):
        assert not is_allowed(deployment.policies["sentinel"], call), call


def test_break_glass_has_no_table(deployment: Deployment) -> None:
    """It restores a zone by Route 53 alone, within the enactors' bounds."""
    mine = deployment.policies["break-glass"]
    actions = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "DescribeTable")
    for action, key in product(actions, ("", *PREFIXES)):
        call = item_call(deployment, f"dynamodb:{action}", *([key] if key else []))
        assert not is_allowed(mine, call), call
    for call in (
        batch(zone=OTHER_ZONE),
        batch(actions=("UPSERT",)),
        *(batch(types=("TXT", kind)) for kind in ("SOA", "NS", "DS")),
    ):
        assert not is_allowed(mine, call), call


def test_looking_changes_nothing(deployment: Deployment) -> None:
    """The first tier reads."""
    actions = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")
    calls = [
        item_call(deployment, f"dynamodb:{one}", key) for one, key in product(actions, PREFIXES)
    ]
    assert [c for c in [*calls, batch()] if is_allowed(deployment.policies["look"], c)] == []


@pytest.mark.parametrize("who", [*DAEMONS, *OPERATORS])
def test_nobody_reaches_another_table_or_the_whole_of_ours(
    deployment: Deployment, who: str
) -> None:
    """No scan, no item without its key's being looked at, no mixed batch, no other table."""
    mine = deployment.policies[who]
    actions = ("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem")
    for action in actions:
        keyless = Request(f"dynamodb:{action}", deployment.table)
        mixed = item_call(deployment, f"dynamodb:{action}", "gen#shop", "table#")
        other = Request(
            f"dynamodb:{action}",
            f"{deployment.table}-staging",
            {"dynamodb:LeadingKeys": ("gen#x",)},
        )
        assert [c for c in (keyless, mixed, other) if is_allowed(mine, c)] == []
    whole = (
        "Scan",
        "DeleteTable",
        "UpdateTable",
        "UpdateTimeToLive",
        "RestoreTableToPointInTime",
        "CreateTable",
        "BatchWriteItem",
        "PartiQLDelete",
        "ExportTableToPointInTime",
    )
    for action in whole:
        assert not is_allowed(mine, Request(f"dynamodb:{action}", deployment.table)), action


def test_the_machine_can_only_become_a_daemon(deployment: Deployment) -> None:
    """Not an operator, and nothing directly."""
    mine = deployment.policies["machine"]
    account = deployment.table.split(":")[4]
    role = f"arn:aws:iam::{account}:role/"
    may = {
        who
        for who, name in ROLES.items()
        if is_allowed(mine, Request("sts:AssumeRole", f"{role}{name}"))
    }
    assert may == set(DAEMONS)
    for who in DAEMONS:
        [statement] = deployment.trusts[who]["Statement"]
        assert statement["Principal"] == {"AWS": f"{role}{ROLES['machine']}"}, who


def test_operators_need_a_second_factor(deployment: Deployment) -> None:
    """Unless the parameter says otherwise."""
    condition = {"Bool": {"aws:MultiFactorAuthPresent": "true"}}
    for who in OPERATORS:
        [statement] = deployment.trusts[who]["Statement"]
        assert statement["Condition"] == condition, who


def test_a_policy_of_sixty_zones_fits() -> None:
    """AWS takes 6,144 characters without white space, as the parameter's description promises."""
    zones = ",".join(f"arn:aws:route53:::hostedzone/Z{number:020}" for number in range(60))
    with deployed(zones) as many:
        for who, policies in many.policies.items():
            for policy in policies:
                size = len("".join(str(policy).split()))
                assert size <= 6_144, f"{who}: {size}"


def test_preflight_tries_the_calls_that_the_page_lists() -> None:
    """On table and zones, role by role: none is forgotten, and none tried that is not granted."""
    rows = listed_calls("Calls")
    for who in DAEMONS + OPERATORS:
        mine = [row for row in rows if who in row.who]
        on_table = {(row.action, row.on) for row in mine if "#" in row.on}
        tried = {(f"dynamodb:{action}", on) for action, on in TABLE_CALLS[who]}
        assert tried == on_table, who
        on_zones = {row.action for row in mine if row.action.startswith("route53:")}
        assert {f"route53:{action}" for action in ZONE_CALLS[who]} == on_zones, who
