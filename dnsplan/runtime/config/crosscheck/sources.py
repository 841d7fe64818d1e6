"""A source has one form and none stands twice in a pool; types are stated where they count."""

from collections.abc import Iterator

from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.schema import Pool
from dnsplan.runtime.config.source_shape import SOURCE_FORMS, HttpSource, Source

WEB_SCHEMES = ("https://", "http://")


def source_findings(pool: Pool, path: Path) -> Iterator[Finding]:
    """Every mistake in a pool's sources."""
    if "types" in pool.model_fields_set and not pool.sources:
        yield Finding((*path, "types"), "types without sources", "types beside sources")
    for index, source in enumerate(pool.sources):
        here = (*path, "sources", index)
        stated = [form for form in SOURCE_FORMS if getattr(source, form) is not None]
        if len(stated) != 1:
            found = " and ".join(stated) or "none of the four"
            yield Finding(here, found, f"exactly one of {', '.join(SOURCE_FORMS)}")
            continue
        if source.http is not None:
            yield from _web_address(source.http, (*here, "http", "url"))
        before = next((i for i, one in enumerate(pool.sources[:index]) if _same(one, source)), None)
        if before is not None:
            found = f"the same source a second time (first in sources[{before}])"
            yield Finding(here, found, "each source once in a pool")


def _web_address(stated: HttpSource, path: Path) -> Iterator[Finding]:
    # What stands there may hold a token, so it is never repeated.
    if not stated.url.reveal().startswith(WEB_SCHEMES):
        found = f"no web address in {stated.url.source}"
        yield Finding(path, found, "an address that begins with https://")


def _same(one: Source, other: Source) -> bool:
    return all(getattr(one, form) == getattr(other, form) for form in SOURCE_FORMS)
