"""Small rules of the sections beside zones and pools."""

from collections.abc import Iterator, Mapping, Sequence

from dnsplan.runtime.config.crosscheck.paging import paging_findings
from dnsplan.runtime.config.crosscheck.signing import signing_findings
from dnsplan.runtime.config.explain import Finding, nearest
from dnsplan.runtime.config.listen_address import ALLOWED, PageOf, listen_for
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.config.server_address import parse_server


def section_findings(settings: Settings, labels: frozenset[str]) -> Iterator[Finding]:
    """Doubled AZs, mistakes about the sentinel and keys, a page nowhere. `labels`: of all zones."""
    for index, az in enumerate(settings.azs):
        if az in settings.azs[:index]:
            yield Finding(("azs", index), f"{az} a second time", "each az once")
    yield from paging_findings(settings)
    yield from signing_findings(settings.signing)
    yield from _sentinel(settings, labels)
    if settings.waves is not None:
        yield from _canaries(settings.waves.canaries, settings, labels)
    try:
        listen_for(PageOf.ENACTOR, stated=settings.status.listen, option=None)
    except ValueError as error:
        yield Finding(("status", "listen"), str(error), ALLOWED)


def _canaries(
    canaries: Sequence[str], settings: Settings, labels: frozenset[str]
) -> Iterator[Finding]:
    """A canary is a zone that something is written to; else all others would wait for ever."""
    for index, label in enumerate(canaries):
        path = ("waves", "canaries", index)
        if label in canaries[:index]:
            yield Finding(path, f"{label} a second time", "each canary once")
        elif label not in labels:
            found = f"{label}, a zone that does not exist"
            yield Finding(path, found, f"a zone's label: {nearest(label, tuple(sorted(labels)))}")
        elif label in settings.zones and settings.zones[label].mode == "observe":
            yield Finding(path, f"{label}, which is only observed", "a zone with mode: enforce")


def _sentinel(settings: Settings, labels: frozenset[str]) -> Iterator[Finding]:
    section = settings.sentinel
    yield from _servers(section.name_servers, ("sentinel", "name_servers"))
    yield from _of_zones(section.zone_name_servers, "zone_name_servers", labels)
    everywhere = section.resolvers or ()
    yield from _servers(everywhere, ("sentinel", "resolvers"))
    yield from _resolvers(everywhere, ("sentinel", "resolvers"))
    yield from _of_zones(section.zone_resolvers, "zone_resolvers", labels)
    for label, resolvers in section.zone_resolvers.items():
        path = ("sentinel", "zone_resolvers", label)
        if label in settings.zones and settings.zones[label].private:
            found = f"{label}, a private zone, which has no other servers to compare with"
            yield Finding(path, found, "a public zone; the resolver it has: zone_name_servers")
        yield from _resolvers(resolvers, path)


def _of_zones(
    servers: Mapping[str, Sequence[str]], key: str, labels: frozenset[str]
) -> Iterator[Finding]:
    for label, texts in servers.items():
        path = ("sentinel", key, label)
        if label not in labels:
            known = tuple(sorted(labels))
            found = f"{label}, a zone that does not exist"
            yield Finding(path, found, f"a zone's label: {nearest(label, known)}")
        yield from _servers(texts, path)


def _resolvers(resolvers: Sequence[str], path: Path) -> Iterator[Finding]:
    """Each is one voice, so none is stated twice."""
    for index, text in enumerate(resolvers):
        if text in resolvers[:index]:
            yield Finding((*path, index), f"{text} a second time", "each resolver once")


def _servers(servers: Sequence[str], path: Path) -> Iterator[Finding]:
    for index, text in enumerate(servers):
        try:
            parse_server(text)
        except ValueError:
            allowed = "an IP address, or one with a port, as 127.0.0.1:5353 or [2001:db8::53]:53"
            yield Finding((*path, index), f'the text "{text}"', allowed)
