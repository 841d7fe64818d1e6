"""The shape of `guardrails:` in `dns.yaml`: of the whole file, of one zone, and of one pool.

What is left out is inherited: a pool's from its zone, a zone's from the file. That a stated TTL is
within the bounds of its zone is `crosscheck`'s.
"""

from typing import Annotated

from pydantic import Field

from dnsplan.bounds import NAMES_MAX
from dnsplan.runtime.config.record_shape import TtlSeconds
from dnsplan.runtime.config.section import Section
from dnsplan.validation import TTL_S_MAX

Share = Annotated[float, Field(ge=0, le=1)]
MinTargets = Annotated[int, Field(ge=1, le=400)]
WindowSeconds = Annotated[int, Field(ge=1, le=86_400)]
NamesChanged = Annotated[int, Field(ge=1, le=NAMES_MAX)]


class Guardrails(Section):
    """Floor and velocity of pools; how many names a change may touch in one plan, and its TTLs."""

    min_targets: MinTargets = 1
    max_removed_share: Share = 0.25
    window_s: WindowSeconds = 300
    # As wide as can be: how many names an honest change touches, and what TTLs a house wants, is
    # not known here, and a bound that refuses honest changes is waived without a look.
    max_names_changed: NamesChanged = NAMES_MAX
    ttl_min_s: TtlSeconds = 0
    ttl_max_s: TtlSeconds = TTL_S_MAX


class GuardrailsOverride(Section):
    """Guardrails of one pool, or the part of a zone's that its pools may state too."""

    min_targets: MinTargets | None = None
    max_removed_share: Share | None = None
    window_s: WindowSeconds | None = None


class ZoneGuardrails(GuardrailsOverride):
    """Guardrails of one zone."""

    max_names_changed: NamesChanged | None = None
    ttl_min_s: TtlSeconds | None = None
    ttl_max_s: TtlSeconds | None = None
