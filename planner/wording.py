"""What the config makes of a zone, as digests: by them plans say which wording they were made of.

Pure. Only what decides about content is in them: stated record sets, names with their pools, and
who is in those. How targets are probed, guardrails and pace are not; they count at once everywhere.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dnsplan.records import RecordSet, Unit
from dnsplan.runtime.config.derived import PoolUnit
from dnsplan.runtime.config.schema import Pool
from planner.membership import feeds_of
from planner.rules.candidate import Wording

# Half of SHA-256: nobody gains by a collision, and they stand in every plan.
DIGEST_CHARACTERS = 32


def wording_of(
    stated: Mapping[Unit, Sequence[RecordSet]],
    driven: Iterable[PoolUnit],
    pools: Mapping[str, Pool],
) -> Wording:
    """The wording of one zone: its record sets, and its names with the pools that drive them."""
    names: dict[str, list[object]] = {}
    for one in sorted(driven, key=lambda one: one.unit):
        names.setdefault(one.pool, []).append([one.name, one.type, one.ttl_s, one.routing])
    words = tuple(
        (pool, _digest([names[pool], _members(pools[pool]), _sources(pool, pools[pool])]))
        for pool in sorted(names)
    )
    sources = tuple((pool, one) for pool in sorted(names) for one in _sources(pool, pools[pool]))
    return Wording(
        config=_digest([[stated[unit] for unit in sorted(stated)], words]),
        pools=words,
        sources=sources,
    )


def _members(pool: Pool) -> list[object]:
    """Who is stated, what may answer, and by what weights go."""
    targets = sorted(pool.targets, key=lambda one: one.id)
    return [[one.model_dump(mode="json") for one in targets], sorted(pool.types), pool.balance]


def _sources(name: str, pool: Pool) -> list[str]:
    """No secret stands in a source's words."""
    return [feed.words for feed in feeds_of(name, pool)]


def _digest(what: object) -> str:
    body = msgspec.json.encode(what, order="deterministic")
    return hashlib.sha256(body).hexdigest()[:DIGEST_CHARACTERS]
