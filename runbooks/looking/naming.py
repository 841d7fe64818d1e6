"""Which zone or name an operator means: as in `dns.yaml`, or in full. Pure."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from dnsplan.errors import InvalidName
from dnsplan.names import Name, display, is_within, join, parse_name
from runbooks.controls.outside import Mistaken

SUGGESTED_MAX = 3
# More labels than these are looked for in the config, not in a message.
LABELS_SHOWN_MAX = 12


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


def labels_mistake(labels: Iterable[str], names: Mapping[str, str]) -> str | None:
    """Which of the labels are none of these zones', and which was meant; None where all are.

    `names` are the zones' names by label, in the config's own words.
    """
    unknown = sorted(set(labels) - names.keys())
    if not unknown:
        return None
    shown = sorted(names)[:LABELS_SHOWN_MAX]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    meant = [
        f"; {text}: did you mean {' or '.join(found)}?"
        for text in unknown
        if (found := _labels_like(text, names))
    ]
    there = f"there are {', '.join(shown)}{more}"
    return f"no zone {', '.join(unknown)} in the config; {there}{''.join(meant)}"


def _labels_like(text: str, names: Mapping[str, str]) -> list[str]:
    """The labels of the zones that have this name, else those that are written like it."""
    typed = text.lower().rstrip(".")
    named = [label for label, name in names.items() if name.lower().rstrip(".") == typed]
    return sorted(named) or get_close_matches(typed, sorted(names), SUGGESTED_MAX)


def nearest(text: str, names: Iterable[Name], zone: Name) -> list[str]:
    """Names like what was typed, the likest first: compared by what stands before the zone, since
    the rest makes all of them alike."""
    known = {_before(display(one), zone): display(one) for one in names}
    return [
        known[one] for one in get_close_matches(_before(text, zone), sorted(known), SUGGESTED_MAX)
    ]


def _before(name: str, zone: Name) -> str:
    return f"{name.rstrip('.')}.".lower().removesuffix(zone).rstrip(".")
