"""Say of each rule by which questions are answered how we know it, so that no guess looks a fact.

Verified: AWS or an RFC that Route 53 follows says so. Inferred: it follows from what they say.
Chosen: the stand-in cannot know or do what Route 53 does, and this is what it does instead.
"""

from dataclasses import dataclass
from typing import Literal

GUIDE = "https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/"
RFC = "https://www.rfc-editor.org/rfc/"


@dataclass(frozen=True, slots=True)
class Mark:
    """One rule, and how we know it."""

    rule: str
    sentence: str
    mark: Literal["verified", "inferred", "chosen"]
    source: str


MARKS = (
    Mark(
        "weight_zero",
        "A set of weight 0 is not answered while a healthy set has a weight; all zeros are equal.",
        "verified",
        GUIDE + "resource-record-sets-values-weighted.html",
    ),
    Mark(
        "fail_open",
        "When no set of a group is healthy, all of them are treated as healthy.",
        "verified",
        GUIDE + "health-checks-how-route-53-chooses-records.html",
    ),
    Mark(
        "multivalue_eight",
        "Up to eight healthy multivalue sets are answered, in an order of chance.",
        "verified",
        GUIDE + "routing-policy-multivalue.html",
    ),
    Mark(
        "failover_order",
        "The primary answers while it is healthy, else the secondary; with neither, the primary.",
        "verified",
        GUIDE + "routing-policy-failover.html",
    ),
    Mark(
        "alias_ttl",
        "An alias answers under its own name with its target's values and TTL; a load balancer's"
        " TTL is 60 s.",
        "verified",
        GUIDE + "resource-record-sets-choosing-alias-non-alias.html",
    ),
    Mark(
        "alias_health",
        "An alias that evaluates its target is healthy if one set of the target group is.",
        "verified",
        GUIDE + "resource-record-sets-values-alias-common.html",
    ),
    Mark(
        "alias_dangling",
        "An alias whose target is gone answers NOERROR with no records; that target is unhealthy.",
        "inferred",
        "AWS's account of 20 October 2025: the name answered NOERROR with nothing in it",
    ),
    Mark(
        "alias_exact",
        "An alias finds its target by the exact name: no wildcard stands in for a missing one.",
        "inferred",
        "Route 53 refuses an alias whose target name does not exist",
    ),
    Mark(
        "wildcard",
        "A wildcard answers directly below the closest name that exists, empty ones included.",
        "verified",
        RFC + "rfc4592",
    ),
    Mark(
        "negative_ttl",
        "A negative answer carries the SOA at the lesser of its TTL and its minimum field.",
        "verified",
        GUIDE + "SOA-NSrecords.html",
    ),
    Mark(
        "private_first",
        "In a VPC the longest matching private zone answers, and never falls through to a public"
        " one.",
        "verified",
        GUIDE + "hosted-zone-private-considerations.html",
    ),
    Mark(
        "cname_followed",
        "A CNAME is followed as far as its target lies in a zone of this server.",
        "chosen",
        "Route 53's servers hold other zones than ours; a resolver follows the rest",
    ),
    Mark(
        "location",
        "The client is in the region that sorts first, and in no named place: the default location"
        " answers, else the first set by identifier. Geoproximity and CIDR: first by identifier.",
        "chosen",
        "every client of a laptop is in the same place",
    ),
    Mark(
        "any_minimal",
        "ANY is answered with one made-up HINFO set, or with the CNAME.",
        "chosen",
        RFC + "rfc8482",
    ),
    Mark(
        "authority_section",
        "A positive answer carries no NS set: those name servers are not this one, and a resolver"
        " must not be led to them.",
        "chosen",
        "Route 53 adds the zone's NS set, which a resolver does not need",
    ),
    Mark(
        "udp_size",
        "A UDP reply holds at most 512 bytes, with EDNS what the asker takes up to 1,232.",
        "chosen",
        "Route 53 goes up to 4,096 bytes; fragments are not wanted today",
    ),
    Mark(
        "same_name",
        "Of several zones of one name and privacy, the first one is served.",
        "chosen",
        "at AWS each has name servers of its own, and the parent's delegation decides",
    ),
)
