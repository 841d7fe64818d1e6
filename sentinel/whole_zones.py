"""Puts together what looks at zones as a whole: their own word, their parents', and resolvers'.

Only for `wiring`; nothing is decided here but which zones are looked at by whom.
"""

import asyncio

from dnsplan.names import parse_name
from dnsplan.runtime.config import Settings
from dnsplan.runtime.paging.pager import Pager
from sentinel.adapters.finding import host_resolver
from sentinel.adapters.parents import ParentServers
from sentinel.cycle import SentinelCycle
from sentinel.opening import Opened
from sentinel.resolver_checks import OwnWord, ResolvedZone, ResolverChecks, ResolverGlance
from sentinel.resolver_looks import AT_ONCE_MAX, ResolverLooker
from sentinel.settings import Watching
from sentinel.zone_checks import CheckedZone, ZoneChecks, ZoneGlance, ZoneMeans


def zone_checks(settings: Settings, watching: Watching, opened: Opened, pager: Pager) -> ZoneChecks:
    """What a zone says of itself, and its parent of it."""
    return ZoneChecks(
        _whole_zones(watching),
        ZoneMeans(
            opened.asker,
            opened.book,
            opened.clock,
            pager,
            ParentServers(opened.asker, host_resolver()),
        ),
        opened.pace,
        negative_ttl_max_s=settings.sentinel.negative_ttl_max_s,
    )


def resolver_checks(
    watching: Watching, opened: Opened, cycle: SentinelCycle, checks: ZoneChecks
) -> ResolverChecks:
    """What resolvers make of names that are well by the cycle; `checks` tells it."""
    own = OwnWord(cycle.is_well, cycle.steady_s, checks.negative_ttl_s)
    zones, looker = _resolved_zones(watching), _resolver_looker(opened)
    made = ResolverChecks(zones, looker, own, opened.clock, opened.pace)
    checks.beside(made)
    return made


def zone_glance(settings: Settings, watching: Watching, opened: Opened) -> ZoneGlance:
    """One look, for `check`."""
    return ZoneGlance(
        _whole_zones(watching),
        opened.asker,
        opened.book,
        ParentServers(opened.asker, host_resolver()),
        opened.pace.ask_s,
        settings.sentinel.negative_ttl_max_s,
    )


def resolver_glance(watching: Watching, opened: Opened) -> ResolverGlance:
    """One look by way of resolvers, for `check`."""
    zones, looker = _resolved_zones(watching), _resolver_looker(opened)
    return ResolverGlance(zones, looker, opened.clock, opened.pace.pause_s)


def _resolver_looker(opened: Opened) -> ResolverLooker:
    return ResolverLooker(opened.asker, opened.pace.ask_s, asyncio.Semaphore(AT_ONCE_MAX))


def _resolved_zones(watching: Watching) -> list[ResolvedZone]:
    """Those for which resolvers are stated, with every type of every name."""
    units = [(one, expected) for one in watching.scope.names for expected in one.expected]
    zones = [
        ResolvedZone(label, tuple(one for one in units if one[0].label == label), resolvers)
        for label, resolvers in watching.resolvers.items()
    ]
    return [one for one in zones if one.units and one.resolvers]


def _whole_zones(watching: Watching) -> list[CheckedZone]:
    """Public zones; where servers are stated nobody says that a parent delegates to them."""
    return [
        CheckedZone(label, parse_name(zone.name), is_delegated=not watching.stated[label])
        for label, zone in watching.zones.items()
        if not zone.private
    ]
