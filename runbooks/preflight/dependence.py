"""Whether the system stands on what it manages: a host that it needs, in a zone that it writes.

Pure. A zone that is emptied must not take away the table, the control plane, a proxy, a pager
or the list of targets.
"""

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from dnsplan.errors import InvalidName
from dnsplan.names import Name, is_within, parse_name
from dnsplan.runtime.config.alarms import Alarm
from dnsplan.runtime.config.schema import Settings
from runbooks.preflight.findings import Finding, fine, refused, warning

CHECK = "self-dependency"
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
NO_ZONE_OF_OURS = "use a host that no zone of dns.yaml holds"
PAGER = "use a host of another zone, or a second alarm beside it: the page must not need the zone"
BEAT = "use a host of another zone: whoever waits for the beat must hear it without the zone"
SOURCE = f"{NO_ZONE_OF_OURS}: targets that an emptied zone needs could not be read again"


@dataclass(frozen=True, slots=True)
class Needed:
    """A host that somebody needs. Without a `todo` no plan is published or applied; with one, what
    is lost is less, and it says what to do."""

    what: str
    host: str
    todo: str | None = None


def needed_hosts(
    settings: Settings, endpoints: Mapping[str, str], environ: Mapping[str, str]
) -> Iterator[Needed]:
    """Every host that the config and the environment name."""
    for service, host in sorted(endpoints.items()):
        yield Needed(f"the endpoint of {service}", host)
    for variable in PROXIES:
        for name in (variable, variable.lower()):
            if host := host_of(environ.get(name, "")):
                yield Needed(f"the proxy of {name}", host)
    for key, alarms in (("sentinel", settings.sentinel.alarms), ("paging", settings.paging.alarms)):
        yield from _webhooks(key, alarms or ())
    yield from _heartbeats(settings)
    yield from _sources(settings)


def _webhooks(key: str, alarms: Sequence[Alarm]) -> Iterator[Needed]:
    for place, alarm in enumerate(alarms):
        if alarm.webhook is not None and (host := host_of(alarm.webhook.url.reveal())):
            yield Needed(f"the webhook of {key}.alarms.{place}", host, PAGER)


def _heartbeats(settings: Settings) -> Iterator[Needed]:
    """An address with {az} stands for one of each AZ."""
    for key, section in (
        ("sentinel", settings.sentinel.heartbeat),
        ("planner", settings.planner.heartbeat),
        ("enactor", settings.enactor.heartbeat),
    ):
        if section is not None:
            url = section.url.reveal()
            hosts = dict.fromkeys(host_of(url.replace("{az}", az)) for az in settings.azs)
            yield from (Needed(f"the address of {key}.heartbeat", host, BEAT) for host in hosts)


def _sources(settings: Settings) -> Iterator[Needed]:
    for name, pool in sorted(settings.pools.items()):
        for place, source in enumerate(pool.sources):
            if source.http is not None and (host := host_of(source.http.url.reveal())):
                yield Needed(f"the address of pools.{name}.sources.{place}", host, SOURCE)


def host_of(url: str) -> str:
    """The host of an address, also of one without a scheme; empty when there is none."""
    try:
        return urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""


def judge_dependence(settings: Settings, needed: Iterator[Needed]) -> Iterator[Finding]:
    """Each host that lies in a managed zone; the longest zone is the one that answers for it."""
    apexes = {parse_name(zone.name): label for label, zone in settings.zones.items()}
    found, seen = False, 0
    for one in needed:
        seen += 1
        if (label := _zone_of(one.host, apexes)) is not None:
            found = True
            yield _finding(one, label)
    if not found:
        yield fine(CHECK, "hosts", f"none of {seen} needed hosts lies in a managed zone")


def _zone_of(host: str, apexes: Mapping[Name, str]) -> str | None:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return None
    try:
        name = parse_name(host)
    except InvalidName:
        return None
    within = [apex for apex in apexes if is_within(name, apex)]
    return apexes[max(within, key=len)] if within else None


def _finding(one: Needed, label: str) -> Finding:
    found = f"{one.what} is {one.host}, which zone {label} answers for"
    if one.todo is None:
        todo = f"{NO_ZONE_OF_OURS}: an emptied zone could not be mended"
        return refused(CHECK, label, found, todo)
    return warning(CHECK, label, found, one.todo)
