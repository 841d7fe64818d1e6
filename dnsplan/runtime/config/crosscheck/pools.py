"""A pool has targets, each is one thing, none stands twice, and its probe can end in time."""

import ipaddress
from collections.abc import Iterator

from dnsplan.errors import InvalidName
from dnsplan.names import parse_name
from dnsplan.runtime.config.crosscheck.ground import Ground
from dnsplan.runtime.config.crosscheck.sources import source_findings
from dnsplan.runtime.config.derived import target_types
from dnsplan.runtime.config.explain import Finding, nearest, show
from dnsplan.runtime.config.health_shape import Health
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.schema import LoadBalancer, Pool, Target
from dnsplan.runtime.config.slips import Slip, slip_in_name, slip_in_target
from dnsplan.values import is_mapped

TARGET_FORMS = "exactly one of address, load_balancer and alias"


def pool_findings(ground: Ground) -> Iterator[Finding]:
    """Every mistake inside the pools."""
    for label, pool in ground.pools.items():
        path = ("pools", label)
        yield from _targets(pool, path)
        for index, target in enumerate(pool.targets):
            yield from _target(target, (*path, "targets", index), ground)
        yield from source_findings(pool, path)
        if pool.health is not None:
            yield from _health(pool.health, (*path, "health"))


def address_problem(address: str) -> str | None:
    """What an address is when it is none, else None."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return f'the text "{address}", which is no address'
    if parsed.version == 6 and parsed.scope_id is not None:
        return f"{address}, which has a scope (%)"
    if parsed.is_unspecified or parsed.is_multicast or is_mapped(parsed):
        return f"{address}, which no client can connect to"
    return None


def _targets(pool: Pool, path: Path) -> Iterator[Finding]:
    if not pool.targets and not pool.sources:
        allowed = "at least one target or source; an empty pool is never an instruction"
        yield Finding((*path, "targets"), "no targets", allowed)
        return
    yield from _twice(pool, path)
    for index, target in enumerate(pool.targets):
        if pool.balance == "az" and target.az is None and target.load_balancer is None:
            yield Finding((*path, "targets", index), "no az", "an az, since balance is az")
    for record_type in ("A", "AAAA"):
        members = [one for one in pool.targets if record_type in target_types(one)]
        if members and not pool.sources and all(one.capacity == 0 for one in members):
            found = f"capacity 0 for every {record_type} target"
            yield Finding((*path, "targets"), found, "at least one target with capacity above 0")


def _twice(pool: Pool, path: Path) -> Iterator[Finding]:
    first: dict[tuple[str, str], int] = {}
    for index, target in enumerate(pool.targets):
        for key, identity in _identities(target):
            before = first.setdefault((key, identity), index)
            if before != index:
                found = f"{identity} a second time (first in targets[{before}])"
                yield Finding((*path, "targets", index, key), found, f"each {key} once in a pool")


def _identities(target: Target) -> Iterator[tuple[str, str]]:
    yield "id", target.id
    if target.address is not None and address_problem(target.address) is None:
        yield "address", str(ipaddress.ip_address(target.address))
    if (balancer := target.load_balancer) is not None:
        # Names are of one Region each: two Regions may well use the same.
        yield "load_balancer", balancer.arn or f"{balancer.name} in {balancer.region}"
    if target.alias is not None and not name_problem(target.alias.name):
        yield "alias", parse_name(target.alias.name)


def _target(target: Target, path: Path, ground: Ground) -> Iterator[Finding]:
    stated = [
        key for key in ("address", "load_balancer", "alias") if getattr(target, key) is not None
    ]
    if len(stated) != 1:
        yield Finding(path, " and ".join(stated) or "none of the three", TARGET_FORMS)
    if target.address is not None and (problem := address_problem(target.address)):
        yield Finding((*path, "address"), problem, "an IPv4 or IPv6 address")
    if target.address is not None and "types" in target.model_fields_set:
        yield Finding((*path, "types"), "types beside an address", "the address says its type")
    if target.load_balancer is not None:
        yield from _load_balancer(target.load_balancer, (*path, "load_balancer"))
    if target.alias is not None:
        yield from target_name(target.alias.name, (*path, "alias", "name"))
    if target.az is not None and ground.azs is not None and target.az not in ground.azs:
        allowed = f"one of azs: {nearest(target.az, tuple(ground.azs))}"
        yield Finding((*path, "az"), f"{target.az}, which is not in azs", allowed)


def _load_balancer(stated: LoadBalancer, path: Path) -> Iterator[Finding]:
    by_name = stated.name is not None and stated.region is not None
    if by_name == (stated.arn is not None) or (
        stated.arn is not None and (stated.name or stated.region)
    ):
        told = stated.model_fields_set & {"name", "region", "arn"}
        found = ", ".join(sorted(told)) or "nothing"
        yield Finding(path, found, "name and region, or arn alone")


def _health(health: Health, path: Path) -> Iterator[Finding]:
    kinds = [kind for kind in ("tcp", "http", "dns") if getattr(health, kind) is not None]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "none of the three"
        yield Finding(path, found, "exactly one of tcp, http and dns")
    if health.dns is not None:
        yield from dns_name(health.dns.name, (*path, "dns", "name"))
    if health.http is not None and health.http.sni is not None:
        yield from dns_name(health.http.sni, (*path, "http", "sni"))
    if health.timeout_s >= health.interval_s:
        found = f"timeout_s {health.timeout_s:g} with interval_s {health.interval_s:g}"
        yield Finding((*path, "timeout_s"), found, "a timeout shorter than the interval")


def dns_name(text: str, path: Path) -> Iterator[Finding]:
    """A finding when the text is no DNS name, or hardly the one that is meant."""
    yield from _name_findings(text, slip_in_name(text), path)


def target_name(text: str, path: Path) -> Iterator[Finding]:
    """The same for what an alias leads to."""
    yield from _name_findings(text, slip_in_target(text), path)


def _name_findings(text: str, slip: Slip | None, path: Path) -> Iterator[Finding]:
    if problem := name_problem(text):
        yield Finding(path, problem, "a DNS name")
    elif slip is not None:
        yield Finding(path, f"{show(text)}, which {slip[0]}", slip[1])


def name_problem(text: str) -> str:
    """Why the text is no DNS name; empty when it is one."""
    try:
        parse_name(text)
    except InvalidName as error:
        return str(error)
    return ""
