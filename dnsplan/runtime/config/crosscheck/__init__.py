"""What one part of the config says about another: pools, zones, names and records together.

Every check here is pure and sees only parts that the schema already accepts.
"""

from dnsplan.runtime.config.crosscheck.aliases import alias_findings
from dnsplan.runtime.config.crosscheck.delegated import delegated_findings
from dnsplan.runtime.config.crosscheck.ground import Ground
from dnsplan.runtime.config.crosscheck.leading import loop_findings
from dnsplan.runtime.config.crosscheck.names import name_findings
from dnsplan.runtime.config.crosscheck.pools import pool_findings
from dnsplan.runtime.config.crosscheck.sections import section_findings
from dnsplan.runtime.config.crosscheck.ttls import ttl_findings
from dnsplan.runtime.config.crosscheck.zones import zone_findings
from dnsplan.runtime.config.explain import Finding


def crosscheck(ground: Ground) -> tuple[Finding, ...]:
    """Every mistake between the parts; paths count list items as `ground` holds them."""
    return (
        *pool_findings(ground),
        *zone_findings(ground),
        *name_findings(ground),
        *alias_findings(ground),
        *delegated_findings(ground),
        *loop_findings(ground),
        *ttl_findings(ground),
    )


__all__ = ["Ground", "crosscheck", "section_findings"]
