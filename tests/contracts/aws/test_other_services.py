"""The rest of AWS: what other tools call, CloudFormation on our zones, and no noise."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.route53.models import route53_backends

from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread
from tests.contracts.aws.places import record
from tests.contracts.aws.talk import Json, blocking_client, close_blocking_clients, unique


@pytest.fixture
def aws() -> Iterator[ThreadedStandIn]:
    """Run a stand-in of the test's own."""
    with serve_in_thread() as running:
        yield running
    close_blocking_clients()


def test_what_octodns_and_awscli_ask(aws: ThreadedStandIn, capfd: Any) -> None:
    """Zones by id and by name, tags, health checks, collections, limits; stdout stays empty."""
    route53 = blocking_client("route53", aws.endpoint_url)
    made = route53.create_hosted_zone(Name="Example.com", CallerReference="1")
    zone_id = made["HostedZone"]["Id"]
    bare = zone_id.rpartition("/")[2]
    assert made["Location"].endswith(f"/2013-04-01/hostedzone/{bare}")
    assert len(made["DelegationSet"]["NameServers"]) == 4
    assert route53.get_change(Id=made["ChangeInfo"]["Id"])["ChangeInfo"]["Status"] == "INSYNC"
    assert [zone["Name"] for zone in route53.list_hosted_zones()["HostedZones"]] == ["example.com."]
    by_name = route53.list_hosted_zones_by_name(DNSName="example.com")["HostedZones"]
    assert [(zone["Id"], zone["ResourceRecordSetCount"]) for zone in by_name] == [(zone_id, 2)]
    assert route53.get_hosted_zone(Id=bare)["HostedZone"]["CallerReference"] == "1"
    route53.change_tags_for_resource(
        ResourceType="hostedzone", ResourceId=bare, AddTags=[{"Key": "a", "Value": "b"}]
    )
    tags = route53.list_tags_for_resource(ResourceType="hostedzone", ResourceId=bare)
    assert tags["ResourceTagSet"]["Tags"] == [{"Key": "a", "Value": "b"}]
    checks = route53.get_paginator("list_health_checks").paginate()
    assert [page["HealthChecks"] for page in checks] == [[]]
    assert route53.list_cidr_collections()["CidrCollections"] == []
    assert route53.list_traffic_policy_instances()["TrafficPolicyInstances"] == []
    limit = route53.get_hosted_zone_limit(HostedZoneId=bare, Type="MAX_RRSETS_BY_ZONE")
    assert (limit["Limit"]["Value"], limit["Count"]) == (1_000_000, 2)
    route53.delete_hosted_zone(Id=bare)
    assert route53.get_hosted_zone_count()["HostedZoneCount"] == 0
    assert capfd.readouterr().out == ""


def test_errors_about_zones(aws: ThreadedStandIn) -> None:
    """A reference used twice, a zone that is not empty, a zone that is not there."""
    route53 = blocking_client("route53", aws.endpoint_url)
    zone_id = route53.create_hosted_zone(Name="a.example", CallerReference="1")["HostedZone"]["Id"]
    batch = {"Changes": [{"Action": "CREATE", "ResourceRecordSet": record("x.a.example")}]}
    route53.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch=batch)
    wrong: list[tuple[str, Json, str, int]] = [
        (
            "create_hosted_zone",
            {"Name": "b.example", "CallerReference": "1"},
            "HostedZoneAlreadyExists",
            409,
        ),
        ("create_hosted_zone", {"Name": "b..example", "CallerReference": "2"}, "InvalidInput", 400),
        ("delete_hosted_zone", {"Id": zone_id}, "HostedZoneNotEmpty", 400),
        ("get_hosted_zone", {"Id": "ZNOPE"}, "NoSuchHostedZone", 404),
        ("list_resource_record_sets", {"HostedZoneId": "ZNOPE"}, "NoSuchHostedZone", 404),
        (
            "list_resource_record_sets",
            {"HostedZoneId": zone_id, "StartRecordType": "A"},
            "InvalidInput",
            400,
        ),
        (
            "list_resource_record_sets",
            {"HostedZoneId": zone_id, "StartRecordName": "a..b"},
            "InvalidInput",
            400,
        ),
        (
            "list_resource_record_sets",
            {"HostedZoneId": zone_id, "MaxItems": "many"},
            "InvalidInput",
            400,
        ),
    ]
    for operation, parameters, code, status in wrong:
        with pytest.raises(ClientError) as caught:
            getattr(route53, operation)(**parameters)
        answer = caught.value.response
        found = answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]
        assert (operation, *found) == (operation, code, status)


def test_zones_are_listed_by_name(aws: ThreadedStandIn) -> None:
    """From a name on, by reversed labels, page by page; two zones of one name are two."""
    route53 = blocking_client("route53", aws.endpoint_url)
    names = ["b.example", "a.b.example", "a.example", "b.example", "example"]
    for n, name in enumerate(names):
        route53.create_hosted_zone(Name=name, CallerReference=str(n))

    def ask(**parameters: str) -> list[str]:
        answer = route53.list_hosted_zones_by_name(**parameters)
        return [zone["Name"] for zone in answer["HostedZones"]]

    assert ask() == ["example.", "a.example.", "b.example.", "b.example.", "a.b.example."]
    assert ask(DNSName="B.example") == ["b.example.", "b.example.", "a.b.example."]
    assert ask(DNSName="aa.example", MaxItems="1") == ["b.example."]
    first = route53.list_hosted_zones_by_name(DNSName="b.example", MaxItems="1")
    assert first["IsTruncated"] is True
    rest = route53.list_hosted_zones_by_name(
        DNSName=first["NextDNSName"], HostedZoneId=first["NextHostedZoneId"]
    )
    ids = [zone["Id"] for zone in first["HostedZones"] + rest["HostedZones"]]
    assert (len(set(ids)), rest["IsTruncated"]) == (3, False)
    pages = route53.get_paginator("list_hosted_zones").paginate(PaginationConfig={"PageSize": 2})
    found = [[zone["Id"] for zone in page["HostedZones"]] for page in pages]
    assert [len(page) for page in found] == [2, 2, 1]
    assert len({zone_id for page in found for zone_id in page}) == 5


def test_private_zones_and_their_networks(aws: ThreadedStandIn) -> None:
    """A private zone may have a public one's name; networks come and go."""
    route53 = blocking_client("route53", aws.endpoint_url)
    vpc = {"VPCRegion": "us-east-1", "VPCId": "vpc-1"}
    route53.create_hosted_zone(Name="example.com", CallerReference="1")
    private = route53.create_hosted_zone(
        Name="example.com", CallerReference="2", VPC=vpc, HostedZoneConfig={"PrivateZone": True}
    )
    zone_id = private["HostedZone"]["Id"]
    assert private["HostedZone"]["Config"]["PrivateZone"] is True
    info = route53.associate_vpc_with_hosted_zone(
        HostedZoneId=zone_id, VPC={**vpc, "VPCId": "vpc-2"}
    )["ChangeInfo"]
    assert route53.get_change(Id=info["Id"])["ChangeInfo"]["Status"] == "INSYNC"
    route53.disassociate_vpc_from_hosted_zone(HostedZoneId=zone_id, VPC=vpc)
    assert [one["VPCId"] for one in route53.get_hosted_zone(Id=zone_id)["VPCs"]] == ["vpc-2"]
    assert aws.call(lambda a: [z.private for z in a.route53.zones.values()]) == [False, True]


def test_health_checks_can_be_named(aws: ThreadedStandIn) -> None:
    """A record set may name a health check that moto keeps."""
    route53 = blocking_client("route53", aws.endpoint_url)
    zone_id = route53.create_hosted_zone(Name="a.example", CallerReference="1")["HostedZone"]["Id"]
    check = route53.create_health_check(
        CallerReference="1",
        HealthCheckConfig={"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 443},
    )["HealthCheck"]["Id"]
    made = record("x.a.example.", HealthCheckId=check)
    batch = {"Changes": [{"Action": "CREATE", "ResourceRecordSet": made}]}
    route53.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch=batch)
    listed = route53.list_resource_record_sets(HostedZoneId=zone_id)["ResourceRecordSets"]
    assert listed[-1] == made


TEMPLATE = {
    "Resources": {
        "Zone": {"Type": "AWS::Route53::HostedZone", "Properties": {"Name": "stack.example"}},
        "Table": {
            "Type": "AWS::DynamoDB::Table",
            "Properties": {
                "TableName": "stack-table",
                "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        },
        "Www": {
            "Type": "AWS::Route53::RecordSet",
            "Properties": {
                "HostedZoneId": {"Ref": "Zone"},
                "Name": "WWW.stack.example.",
                "Type": "A",
                "TTL": "60",
                "SetIdentifier": "one",
                "Weight": "5",
                "ResourceRecords": ["192.0.2.1"],
            },
        },
        "Alias": {
            "Type": "AWS::Route53::RecordSet",
            "DependsOn": "Www",
            "Properties": {
                "HostedZoneId": {"Ref": "Zone"},
                "Name": "alias.stack.example",
                "Type": "A",
                "AliasTarget": {
                    "HostedZoneId": {"Ref": "Zone"},
                    "DNSName": "www.stack.example",
                    "EvaluateTargetHealth": True,
                },
            },
        },
    }
}


def test_cloudformation_works_on_the_same_zones(aws: ThreadedStandIn) -> None:
    """A stack's zone, sets and table are ours: listed, with ids, and gone with the stack."""
    stacks = blocking_client("cloudformation", aws.endpoint_url)
    route53 = blocking_client("route53", aws.endpoint_url)
    name = unique("stack")
    stacks.create_stack(StackName=name, TemplateBody=json.dumps(TEMPLATE))
    state = stacks.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
    assert state == "CREATE_COMPLETE"
    zone_id = stacks.describe_stack_resource(StackName=name, LogicalResourceId="Zone")[
        "StackResourceDetail"
    ]["PhysicalResourceId"]
    listed = route53.list_resource_record_sets(HostedZoneId=zone_id)["ResourceRecordSets"]
    assert [(one["Name"], one.get("Weight")) for one in listed][2:] == [
        ("alias.stack.example.", None),
        ("www.stack.example.", 5),
    ]
    dynamodb = blocking_client("dynamodb", aws.endpoint_url)
    assert dynamodb.describe_table(TableName="stack-table")["Table"]["TableId"]
    stacks.delete_stack(StackName=name)
    assert route53.get_hosted_zone_count()["HostedZoneCount"] == 0
    assert dynamodb.list_tables()["TableNames"] == []


GROUPED = {"Type": "A", "TTL": "60", "SetIdentifier": "one", "ResourceRecords": ["192.0.2.1"]}
POLICIES: dict[str, Json] = {
    "f": {"Failover": "PRIMARY"},
    "g": {"GeoLocation": {"CountryCode": "*"}},
    "l": {"Region": "eu-west-1"},
    "m": {"MultiValueAnswer": True},
}


def test_cloudformation_states_every_policy(aws: ThreadedStandIn) -> None:
    """A group of sets in a zone that is there already; what breaks a rule fails the stack."""
    stacks = blocking_client("cloudformation", aws.endpoint_url)
    route53 = blocking_client("route53", aws.endpoint_url)
    zone_id = route53.create_hosted_zone(Name="a.example", CallerReference="1")["HostedZone"]["Id"]
    bare = zone_id.rpartition("/")[2]

    def template(sets: list[Json]) -> str:
        properties = {"HostedZoneId": bare, "RecordSets": sets}
        group = {"Type": "AWS::Route53::RecordSetGroup", "Properties": properties}
        return json.dumps({"Resources": {"Group": group}})

    sets = [{**GROUPED, "Name": f"{label}.a.example", **POLICIES[label]} for label in POLICIES]
    stacks.create_stack(StackName=unique("good"), TemplateBody=template(sets))
    listed = route53.list_resource_record_sets(HostedZoneId=zone_id)["ResourceRecordSets"][2:]
    plain = {"Name", "Type", "TTL", "SetIdentifier", "ResourceRecords"}
    found = {one["Name"][0]: {key: one[key] for key in one.keys() - plain} for one in listed}
    assert found == POLICIES
    with pytest.raises(ClientError, match="already exists"):
        stacks.create_stack(StackName=unique("bad"), TemplateBody=template(sets))


@pytest.mark.parametrize(
    ("service", "operation", "field"),
    [
        ("sts", "get_caller_identity", "Account"),
        ("elbv2", "describe_load_balancers", "LoadBalancers"),
        ("cloudwatch", "list_metrics", "Metrics"),
        ("sns", "list_topics", "Topics"),
        ("cloudformation", "list_stacks", "StackSummaries"),
        ("ec2", "describe_vpcs", "Vpcs"),
        ("iam", "list_roles", "Roles"),
    ],
)
def test_other_services_answer(
    aws: ThreadedStandIn, service: str, operation: str, field: str
) -> None:
    """Each through moto, in the account of this stand-in."""
    answer = getattr(blocking_client(service, aws.endpoint_url), operation)()
    assert field in answer


def test_two_stand_ins_do_not_see_each_other(aws: ThreadedStandIn) -> None:
    """Zones and topics of one process's stand-ins are apart, and gone with each."""
    zone = {"Name": "a.example", "CallerReference": "1"}
    blocking_client("route53", aws.endpoint_url).create_hosted_zone(**zone)
    blocking_client("sns", aws.endpoint_url).create_topic(Name="t")
    with serve_in_thread() as other:
        zones = blocking_client("route53", other.endpoint_url).list_hosted_zones()
        topics = blocking_client("sns", other.endpoint_url).list_topics()
        assert (zones["HostedZones"], topics["Topics"]) == ([], [])
        account_id = other.call(lambda stand_in: stand_in.backend.account_id)
        assert account_id in route53_backends
    assert account_id not in route53_backends
