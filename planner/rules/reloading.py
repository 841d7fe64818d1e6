"""What another config may change in a planner that runs, and what needs a restart. Pure.

Zones, names, pools, sources and guardrails change at once. A planner that is bound to a table or an
AZ is not bound to another one while it runs.
"""

from dnsplan.runtime.config.schema import Settings

# What processes are started with: it is told, and everything else is taken up.
_AT_START = ("planner", "status", "sentinel", "account_requests_per_s", "state_dir")


def why_not(before: Settings, after: Settings, *, az: str | None) -> str | None:
    """Why another config cannot be taken up while running, or None."""
    if after.table != before.table:
        return f"table {after.table} instead of {before.table}: that needs a restart"
    if az is not None and az not in after.azs:
        return f"azs no longer name {az}, where this planner stands"
    return None


def needs_restart(before: Settings, after: Settings) -> tuple[str, ...]:
    """The keys whose new values count only after a restart."""
    return tuple(key for key in _AT_START if getattr(before, key) != getattr(after, key))


def zones_gone(before: Settings, after: Settings) -> tuple[str, ...]:
    """Zones that are planned no more; they keep what they hold."""
    return tuple(sorted(before.zones.keys() - after.zones.keys()))
