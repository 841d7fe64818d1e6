"""Say of each rule of the stand-in how we know it, so that nobody takes a guess for a fact.

verified: read in the cited source. inferred: follows from one, or from how other clients act.
unverified: nobody says; such a rule is a switch, and both answers are tested.
"""

from dataclasses import dataclass
from typing import Literal

Known = Literal["verified", "inferred", "unverified"]

MODEL = "botocore service model of route53 2013-04-01"
GUIDE = "Route 53 Developer Guide"
LIMITS = f"{GUIDE}, quotas"
FORMAT = f"{GUIDE}, DNS domain name format"


@dataclass(frozen=True, slots=True)
class Mark:
    """One rule: what it says, how we know, and the switch that holds the other answer."""

    id: str
    rule: str
    known: Known
    source: str
    switch: str | None = None


def verified(rule_id: str, rule: str, source: str, switch: str | None = None) -> Mark:
    return Mark(rule_id, rule, "verified", source, switch)


def inferred(rule_id: str, rule: str, source: str) -> Mark:
    return Mark(rule_id, rule, "inferred", source)


def unverified(rule_id: str, rule: str, source: str, switch: str) -> Mark:
    return Mark(rule_id, rule, "unverified", source, switch)


BATCH = (
    verified("batch-atomic", "A batch is applied whole or not at all.", MODEL),
    unverified(
        "batch-in-order",
        "Changes are judged and made in list order.",
        "not documented; emulators and external-dns assume it",
        "list_order_matters",
    ),
    verified(
        "elements-1000",
        "A batch holds at most 1,000 values; an UPSERT counts twice, an alias is one.",
        f"{LIMITS}; dnscontrol #1114, external-dns #2537",
    ),
    verified(
        "characters-32000",
        "The values of a batch hold at most 32,000 characters; an UPSERT counts twice.",
        f"{LIMITS}; external-dns #515, dnscontrol #908",
    ),
    verified("set-twice", "A set is changed at most once in a batch.", "external-dns #4241"),
    unverified(
        "identical-delete-create",
        "DELETE and CREATE of the very same content in one batch is accepted.",
        "nobody says; AWS's own locks changed their value each time",
        "identical_delete_create_accepted",
    ),
    unverified(
        "create-then-delete",
        "CREATE and then DELETE of one set in one batch is accepted.",
        "emulator authors",
        "create_then_delete_accepted",
    ),
    verified(
        "equal-dropped",
        "A change that means the same as what is there is accepted, and not made if it shares "
        "its batch with others.",
        "boto3 #3579, octodns-route53 PR #135; not everywhere and always",
        "equal_changes_dropped",
    ),
    verified("unknown-action", "Any other action than the three is malformed.", "moto PR #5222"),
)

DELETE = (
    verified("delete-not-found", "DELETE of a set that is not there is refused.", "boto #2887"),
    verified("delete-values", "DELETE must state the values that are there.", "external-dns #732"),
    verified("delete-ttl", "DELETE must state the TTL.", "nixops PR #229"),
    verified("delete-health-check", "DELETE must state the health check.", "zonify PR #23"),
    inferred("delete-value-order", "The order of values does not matter.", "floci PR #3565"),
    inferred("delete-alias", "DELETE of an alias must state its target.", MODEL),
    unverified(
        "delete-routing",
        "DELETE must state weight, region and the like as they are.",
        "the API wants the fields; whether their values are compared is not documented",
        "delete_compares_routing_fields",
    ),
    unverified(
        "normal-form",
        "Values are compared by meaning: names folded, TXT unquoted, addresses read.",
        "follows from boto3 #3579 for UPSERT only",
        "values_compared_in_normal_form",
    ),
    unverified(
        "alias-target-delete",
        "The target of an alias may be deleted.",
        "the only way that the outage of October 2025 can have happened",
        "alias_target_delete_allowed",
    ),
)

PLACE = (
    verified("create-exists", "CREATE of a set that is there is refused.", "external-dns #3007"),
    verified("upsert", "UPSERT creates or replaces, with no condition.", MODEL),
    verified(
        "one-policy",
        "All sets of a name and type have one routing policy.",
        "terraform-provider-aws #1852, chef route53 #100, cert-manager #5388",
    ),
    verified(
        "group-distinct", "A group has each region, place or role once.", f"{MODEL}; roles inferred"
    ),
    verified("group-100", "A group has at most 100 sets.", MODEL),
    verified("set-id", "A set identifier and a routing policy come together.", MODEL),
    verified(
        "cname-alone",
        "A CNAME stands alone at its name.",
        "hashicorp/terraform #9732, Particle-Cloud-Framework #113",
    ),
    verified("cname-apex", "A CNAME cannot stand at the apex.", GUIDE),
    verified("apex-kept", "A zone keeps its SOA and its NS.", "zonify #1"),
    inferred("soa-apex", "A SOA stands only at the apex, simple.", GUIDE),
    verified("wildcard-ns", "A wildcard cannot have type NS.", MODEL),
    unverified(
        "weighted-values",
        "A weighted set may hold several values.",
        "the guide says so, the service model says one",
        "weighted_holds_several_values",
    ),
    unverified(
        "weighted-ttl",
        "The sets of a weighted group may have several TTLs.",
        "the service model says they must not; whether it is enforced is not documented",
        "weighted_ttl_must_match",
    ),
)

ALIAS = (
    inferred(
        "root-as-host",
        "The root name may be the host of an MX or SRV value: there is no such service.",
        "RFC 7505, RFC 2782; no report about Route 53 was found",
    ),
    verified("alias-or-ttl", "A set has an alias, or TTL and values.", "community.aws #800"),
    verified("alias-target", "An alias's target in its zone is there.", "harmony-ops #491"),
    verified("alias-type", "An alias has its target's type.", MODEL),
    verified("alias-within", "The target lies in the zone it names.", "cli53 #227"),
    verified("alias-other-zone", "An alias cannot target another hosted zone.", MODEL),
    verified("alias-multivalue", "A multivalue set cannot be an alias.", MODEL),
)

NAMES = (
    verified("name-fold", "Names are folded to lower case; the last dot is optional.", FORMAT),
    verified("name-escape", "Listings escape all but a-z 0-9 - _ . as \\ooo.", FORMAT),
    verified("name-in-zone", "A name lies in its zone, by whole labels.", "moto PR #916"),
    verified(
        "name-lengths",
        "Labels are 1 to 63 bytes, names at most 255.",
        "hashicorp/terraform #18482, cloud-platform #4294",
    ),
    verified("name-characters", "Other characters must come escaped.", FORMAT),
)

VALUES = (
    verified("types", "A record type is one of the seventeen.", MODEL),
    verified("ttl-bounds", "A TTL is 0 to 2147483647.", MODEL),
    verified("weight-bounds", "A weight is 0 to 255.", MODEL),
    verified("duplicates", "A set has each value once.", "external-dns #1015, #1929"),
    inferred("values-400", "A set has at most 400 values.", f"{LIMITS}; words of rancher #10253"),
    verified("value-4000", "A value has at most 4,000 characters.", MODEL),
    inferred("addresses", "A and AAAA values are addresses.", "words as public reports quote them"),
    verified("txt-quoted", "TXT strings are quoted.", "ansible #6112, lego #94"),
    verified("txt-characters", "TXT holds printable ASCII; the rest is escaped.", GUIDE),
    verified("txt-255", "A TXT string has at most 255 characters.", "boto3 #1462"),
    inferred("other-values", "CNAME, MX, SRV, CAA, NS, PTR, SOA values are read.", GUIDE),
    verified("health-check", "A health check that is named exists.", MODEL),
)

SERVICE = (
    verified("list-order", "Listings go by reversed labels, type, identifier.", MODEL),
    verified("list-pages", "A page has at most 300 sets and names the next one.", MODEL),
    verified("change-ids", "Each accepted change has a fresh id.", MODEL),
    verified("pending-insync", "A change is listed at once and is INSYNC later.", MODEL),
    verified("prior-request", "A zone takes one change at a time.", MODEL),
    verified("rate", "An account has 5 requests a second.", LIMITS),
    unverified(
        "throttled-lands",
        "A throttled batch was not applied.",
        "nobody says",
        "throttled_batch_may_land",
    ),
    unverified(
        "forgotten-change",
        "A change that a failover lost stays PENDING.",
        "AWS says only to resubmit it",
        "forgotten_change_unknown",
    ),
    verified("zone-limit", "A zone has a limit of sets, raised on request.", "dnscontrol #908"),
    verified("zone-empty", "Only an empty zone can be deleted.", "cloud-nuke #704"),
)

MARKS: tuple[Mark, ...] = BATCH + DELETE + PLACE + ALIAS + NAMES + VALUES + SERVICE


def table() -> str:
    """Write all marks as a Markdown table."""
    rows = ["| rule | says | known | source | switch |", "|---|---|---|---|---|"]
    rows += [
        f"| {one.id} | {one.rule} | {one.known} | {one.source} | {one.switch or ''} |"
        for one in MARKS
    ]
    return "\n".join(rows) + "\n"
