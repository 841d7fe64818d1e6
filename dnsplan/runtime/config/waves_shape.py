"""The shape of `waves:` in `dns.yaml`: how a changed config goes out, zone by zone.

Only types, bounds and defaults stand here; that a canary is a zone is `crosscheck`'s.
"""

from typing import Annotated

from pydantic import Field

from dnsplan.runtime.config.section import Section


class WavesSection(Section):
    """How a changed config goes out, zone by zone: `canaries` first, and the others once each of
    them has held it for `bake_s`; no more than `zones_per_window` in `window_s`.

    `sentinel` is the address of a sentinel's page: while it pages for a zone that was just changed,
    or does not answer, no other zone goes.
    """

    canaries: Annotated[list[str], Field(max_length=100)] = Field(default_factory=list)
    # Long enough for a fence check, an audit's page and two rounds of a sentinel that doubts.
    bake_s: Annotated[float, Field(ge=0, le=86_400 * 7)] = 600.0
    zones_per_window: Annotated[int, Field(ge=1, le=10_000)] = 5
    window_s: Annotated[float, Field(gt=0, le=86_400)] = 300.0
    sentinel: (
        Annotated[
            str,
            Field(
                pattern=r"^https?://[^\s/@]+(/[^\s]*)?$",
                description="the address of a sentinel's page, as http://127.0.0.1:8055",
            ),
        ]
        | None
    ) = None
