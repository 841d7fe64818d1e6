"""Small rules of the sections beside zones and pools."""

from collections.abc import Iterator, Sequence

from dnsplan.runtime.config.alarms import Alarm, SentinelSection
from dnsplan.runtime.config.explain import Finding, nearest
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.config.server_address import PORT_MAX, parse_server

ALARM_FORMS = ("log", "sns", "webhook", "command")
WEB_SCHEMES = ("https://", "http://")


def section_findings(settings: Settings, labels: frozenset[str]) -> Iterator[Finding]:
    """Doubled AZs, mistakes about the sentinel, a port that cannot be. `labels`: of all zones."""
    for index, az in enumerate(settings.azs):
        if az in settings.azs[:index]:
            yield Finding(("azs", index), f"{az} a second time", "each az once")
    yield from _sentinel(settings.sentinel, labels)
    port = int(settings.status.listen.rpartition(":")[2])
    if port > PORT_MAX:
        yield Finding(("status", "listen"), f"the port {port}", f"a port of at most {PORT_MAX}")


def _sentinel(section: SentinelSection, labels: frozenset[str]) -> Iterator[Finding]:
    for index, alarm in enumerate(section.alarms):
        yield from _alarm(alarm, ("sentinel", "alarms", index))
    yield from _servers(section.name_servers, ("sentinel", "name_servers"))
    for label, servers in section.zone_name_servers.items():
        path = ("sentinel", "zone_name_servers", label)
        if label not in labels:
            known = tuple(sorted(labels))
            found = f"{label}, a zone that does not exist"
            yield Finding(path, found, f"a zone's label: {nearest(label, known)}")
        yield from _servers(servers, path)


def _alarm(alarm: Alarm, path: Path) -> Iterator[Finding]:
    stated = [form for form in ALARM_FORMS if getattr(alarm, form) is not None]
    if len(stated) != 1:
        found = " and ".join(stated) or "none of the four"
        yield Finding(path, found, f"exactly one of {', '.join(ALARM_FORMS)}")
    if alarm.command is not None and not alarm.command[0].strip():
        yield Finding((*path, "command", 0), "nothing", "the program to run")
    # What stands there may hold a token, so it is never repeated.
    if alarm.webhook is not None and not alarm.webhook.url.reveal().startswith(WEB_SCHEMES):
        found = f"no web address in {alarm.webhook.url.source}"
        yield Finding((*path, "webhook", "url"), found, "an address that begins with https://")


def _servers(servers: Sequence[str], path: Path) -> Iterator[Finding]:
    for index, text in enumerate(servers):
        try:
            parse_server(text)
        except ValueError:
            allowed = "an IP address, or one with a port, as 127.0.0.1:5353 or [2001:db8::53]:53"
            yield Finding((*path, index), f'the text "{text}"', allowed)
