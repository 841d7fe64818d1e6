"""Which name an operator means: as in `dns.yaml`, or in full. Pure."""

from collections.abc import Iterable
from difflib import get_close_matches

from dnsplan.errors import InvalidName
from dnsplan.names import Name, display, is_within, join, parse_name
from runbooks.controls.outside import Mistaken

SUGGESTED_MAX = 3


def name_in(text: str, zone: Name) -> Name:
    """The full name of what was typed for a zone; Mistaken when it is none of this zone.

    `www`, `@`, `www.example.com` and `www.example.com.` all name what stands in example.com.
    """
    try:
        full = zone if text == "@" else parse_name(text)
        name = full if is_within(full, zone) else join(text, zone)
    except InvalidName as error:
        raise Mistaken(f"{text}: {error}") from error
    if not is_within(name, zone):
        raise Mistaken(f"{text} is not in {zone}")
    return name


def nearest(text: str, names: Iterable[Name], zone: Name) -> list[str]:
    """Names like what was typed, the likest first: compared by what stands before the zone, since
    the rest makes all of them alike."""
    known = {_before(display(one), zone): display(one) for one in names}
    return [
        known[one] for one in get_close_matches(_before(text, zone), sorted(known), SUGGESTED_MAX)
    ]


def _before(name: str, zone: Name) -> str:
    return f"{name.rstrip('.')}.".lower().removesuffix(zone).rstrip(".")
