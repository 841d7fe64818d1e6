"""Small rules of the sections beside zones and pools."""

from collections.abc import Iterator

from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.schema import Settings

PORT_MAX = 65_535
ALARM_FORMS = ("log", "sns", "webhook", "command")


def section_findings(settings: Settings) -> Iterator[Finding]:
    """Doubled AZs, an alarm that is none or several things, a port that cannot be."""
    for index, az in enumerate(settings.azs):
        if az in settings.azs[:index]:
            yield Finding(("azs", index), f"{az} a second time", "each az once")
    for index, alarm in enumerate(settings.sentinel.alarms):
        stated = [form for form in ALARM_FORMS if getattr(alarm, form) is not None]
        if len(stated) != 1:
            found = " and ".join(stated) or "none of the four"
            allowed = f"exactly one of {', '.join(ALARM_FORMS)}"
            yield Finding(("sentinel", "alarms", index), found, allowed)
    port = int(settings.status.listen.rpartition(":")[2])
    if port > PORT_MAX:
        yield Finding(("status", "listen"), f"the port {port}", f"a port of at most {PORT_MAX}")
