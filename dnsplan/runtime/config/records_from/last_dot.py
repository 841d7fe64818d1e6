"""Names of a zone file that lack their last dot: the origin is put behind them once more.

A zone file may mean it so, and then says it with the full name and its dot. Only what names the
zone again is looked for: `foo.example` may well be a name below the zone.
"""

import re
from collections.abc import Collection
from functools import lru_cache

from dnsplan.errors import InvalidName
from dnsplan.names import Name, is_within, parse_name


def lost_dot(
    line: str, made: Collection[str], *, origin: str, apex: Name
) -> tuple[str, Name] | None:
    """A word of the line that names the zone, and the name that was made of it below the origin."""
    if not is_within(Name(origin), apex):
        return None
    for word in _undotted(apex).findall(line):
        try:
            name = parse_name(f"{word}.{origin}")
        except InvalidName:
            continue
        if name in made:
            return word, name
    return None


@lru_cache(maxsize=16)  # one zone after the other is read
def _undotted(apex: Name) -> re.Pattern[str]:
    """A word that names the zone without the last dot; one with quotes or escapes is none."""
    zone = re.escape(apex[:-1])
    return re.compile(rf'(?<![^\s(])(?:[^\s()";\\]*\.)?{zone}(?=[\s);]|$)', re.IGNORECASE)
