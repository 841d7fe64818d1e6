"""Judges hosted zones: room, cost of an empty answer, delegation, and how AWS would recover.

Pure. Nothing here changes a zone; each finding says which call would.
"""

from collections.abc import Iterator

from dnsplan.runtime.zones import ZoneProblem
from enactor.rules.quota import ZoneQuota
from enactor.rules.quota import warning as quota_warning
from runbooks.preflight.facts import HostedZone, NegativeTtl, Read, Unseen, ZoneFacts
from runbooks.preflight.findings import Finding, fine, refused, unread, warning

# A name that was empty for a moment stays empty for a resolver's clients this long. Route 53's own
# SOA says 900 s; on 20 October 2025 that was the last quarter of an hour of the outage.
NEGATIVE_TTL_WARNED_S = 300
REACHABLE = "look at the network, the zone's role_arn and the policy (docs/permissions.md)"


def judge_zone(label: str, read: Read[ZoneFacts | ZoneProblem]) -> Iterator[Finding]:
    """Everything about one zone."""
    match read:
        case Unseen(why):
            yield unread("zone", label, why, REACHABLE)
        case ZoneProblem():
            todo = f"state {read.allowed} in dns.yaml"
            yield refused("zone", label, f"{read.key}: {read.found}", todo)
        case ZoneFacts() as facts:
            yield fine("zone", label, f"{facts.zone.name} is {facts.zone.zone_id}")
            yield _quota(label, facts.quota)
            yield _negative(label, facts)
            yield from _hosted(label, facts)


def _quota(label: str, read: Read[ZoneQuota]) -> Finding:
    match read:
        case Unseen(why):
            return unread("quota", label, why, REACHABLE)
        case ZoneQuota() as quota if text := quota_warning(label, quota):
            found, _, todo = text.partition("; ")
            return warning("quota", label, found, todo)
        case quota:
            return fine("quota", label, f"{quota.count} of {quota.limit} record sets")


def _negative(label: str, facts: ZoneFacts) -> Finding:
    lower = (
        f"set the SOA of {facts.zone.name} to a TTL of 60 s by hand"
        f" (aws route53 change-resource-record-sets, {facts.zone.zone_id}); no plan ever writes it"
    )
    match facts.negative:
        case Unseen(why):
            return unread("negative TTL", label, why, REACHABLE)
        case None:
            return unread("negative TTL", label, "Route 53 lists no SOA", REACHABLE)
        case NegativeTtl() as negative:
            found = (
                f"{negative.kept_s} s (SOA: TTL {negative.ttl_s} s, minimum {negative.minimum_s} s)"
            )
            if negative.kept_s <= NEGATIVE_TTL_WARNED_S:
                return fine("negative TTL", label, found)
            found = f"{found}: resolvers keep an emptied name empty that long after it is back"
            return warning("negative TTL", label, found, lower)


def _hosted(label: str, facts: ZoneFacts) -> Iterator[Finding]:
    hosted = facts.hosted
    if isinstance(hosted, Unseen):
        yield unread("hosted zone", label, hosted.why, REACHABLE)
        return
    if facts.delegated is None:
        return
    yield _recovery(label, facts, hosted)
    yield _delegation(label, hosted, facts.delegated)


def _recovery(label: str, facts: ZoneFacts, hosted: HostedZone) -> Finding:
    if hosted.recovery == "ENABLED":
        return fine("accelerated recovery", label, "on")
    found = f"{(hosted.recovery or 'off').lower()}: while us-east-1 is down, nobody can change it"
    todo = (
        "aws route53 update-hosted-zone-features --enable-accelerated-recovery"
        f" --hosted-zone-id {facts.zone.zone_id}; it only helps when it is on before"
    )
    return warning("accelerated recovery", label, found, todo)


def _delegation(label: str, hosted: HostedZone, delegated: Read[tuple[str, ...]]) -> Finding:
    if isinstance(delegated, Unseen):
        return unread("delegation", label, delegated.why, "look at this host's resolver")
    ours, theirs = set(hosted.name_servers), set(delegated)
    if ours == theirs:
        return fine("delegation", label, f"{len(ours)} name servers, as Route 53 gave them")
    wanted = ", ".join(sorted(ours))
    if not ours & theirs:
        named = ", ".join(sorted(theirs)) or "nobody"
        found = f"the world asks {named}, and not this zone's servers: nobody sees what is written"
        return warning("delegation", label, found, f"let the parent zone name {wanted}")
    odd = ", ".join(sorted(ours ^ theirs))
    found = f"what the world asks and what Route 53 gave differ in {odd}"
    return warning("delegation", label, found, f"let the parent zone name exactly {wanted}")
