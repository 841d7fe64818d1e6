"""Small rules of the ways to reach people. What an address or a key holds is never repeated."""

from collections.abc import Iterator

from dnsplan.runtime.config.alarms import Alarm, HeartbeatSection, WebhookAlarm
from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.config.secret import SecretText
from dnsplan.runtime.paging.template import mistakes

ALARM_FORMS = ("log", "sns", "webhook", "command")
WEB_SCHEMES = ("https://", "http://")
SECRET_PLACE = "{secret}"  # noqa: S105 - a place for one, not one


def paging_findings(settings: Settings) -> Iterator[Finding]:
    """Mistakes about alarms and heartbeats."""
    stated = {"sentinel": settings.sentinel.alarms, "paging": settings.paging.alarms or []}
    for owner, alarms in stated.items():
        for index, alarm in enumerate(alarms):
            yield from _alarm(alarm, (owner, "alarms", index))
    for owner, heartbeat in (
        ("sentinel", settings.sentinel.heartbeat),
        ("planner", settings.planner.heartbeat),
        ("enactor", settings.enactor.heartbeat),
    ):
        yield from _heartbeat(heartbeat, (owner, "heartbeat", "url"))


def _alarm(alarm: Alarm, path: Path) -> Iterator[Finding]:
    stated = [form for form in ALARM_FORMS if getattr(alarm, form) is not None]
    if len(stated) != 1:
        found = " and ".join(stated) or "none of the four"
        yield Finding(path, found, f"exactly one of {', '.join(ALARM_FORMS)}")
    if alarm.command is not None and not alarm.command[0].strip():
        yield Finding((*path, "command", 0), "nothing", "the program to run")
    if alarm.webhook is not None:
        yield from _webhook(alarm.webhook, (*path, "webhook"))


def _webhook(hook: WebhookAlarm, path: Path) -> Iterator[Finding]:
    yield from _web_address(hook.url, (*path, "url"))
    templates: tuple[tuple[str, object], ...] = (("body", hook.body), ("headers", hook.headers))
    for key, template in templates:
        for found, allowed in mistakes(template):
            yield Finding((*path, key), found, allowed)
    if hook.secret is not None and SECRET_PLACE not in f"{hook.body} {hook.headers}":
        yield Finding(
            (*path, "secret"), "a secret for no place", f"{SECRET_PLACE} in body or headers"
        )


def _heartbeat(section: HeartbeatSection | None, path: Path) -> Iterator[Finding]:
    if section is not None:
        yield from _web_address(section.url, path)


def _web_address(url: SecretText, path: Path) -> Iterator[Finding]:
    if not url.reveal().startswith(WEB_SCHEMES):
        yield Finding(
            path, f"no web address in {url.source}", "an address that begins with https://"
        )
