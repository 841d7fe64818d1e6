"""Record values as people write them, turned into the text that Route 53 wants.

Text records may be written without quotes, a CAA value too. Everything else stays as written:
what it means is `normal`'s, whether it may stand is `validation`'s.
"""

from dnsplan.text import TEXT_TYPES, quote


def as_route53(record_type: str, value: str) -> str:
    """The value with the quotes that its type needs."""
    if record_type in TEXT_TYPES and not value.lstrip().startswith('"'):
        return quote((value.encode(),))
    if record_type == "CAA":
        return _caa(value)
    return value


def _caa(value: str) -> str:
    parts = value.split(None, 2)
    if len(parts) == 3 and not parts[2].startswith('"'):
        parts[2] = quote((parts[2].encode(),))
    return " ".join(parts)
