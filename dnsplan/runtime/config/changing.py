"""What another config may change in a daemon that runs, and what needs a restart. Pure.

Zones, names, pools and guardrails change at once. A daemon that is bound to a table or an AZ is not
bound to another one while it runs.
"""

from collections.abc import Sequence

from dnsplan.runtime.config.schema import Settings


def why_not(before: Settings, after: Settings, *, az: str | None) -> str | None:
    """Why another config cannot be taken up while running, or None."""
    if after.table != before.table:
        return f"table {after.table} instead of {before.table}: that needs a restart"
    if az is not None and az not in after.azs:
        return f"azs no longer name {az}, where this daemon stands"
    return None


def needs_restart(before: Settings, after: Settings, keys: Sequence[str]) -> tuple[str, ...]:
    """Of the keys that a process is started with, those whose new values wait for the next one."""
    return tuple(key for key in keys if getattr(before, key) != getattr(after, key))


def zones_gone(before: Settings, after: Settings) -> tuple[str, ...]:
    """Zones that are worked on no more; they keep what they hold."""
    return tuple(sorted(before.zones.keys() - after.zones.keys()))
