"""Which name an operator means: as in `dns.yaml`, or in full. Pure."""

from dnsplan.errors import InvalidName
from dnsplan.names import Name, is_within, join, parse_name
from runbooks.controls.outside import Mistaken


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
