"""Record sets in the words that commands show before and after a change. Pure."""

from dnsplan.names import display
from dnsplan.records import RecordSet


def record_set_in_words(one: RecordSet) -> str:
    """Name, type, member and what it answers, in one line."""
    return f"{display(one.name)} {one.type} {answer_in_words(one)}"


def answer_in_words(one: RecordSet) -> str:
    """What a record set answers, with its set identifier and TTL."""
    what = " ".join(one.values) if one.alias is None else f"alias {one.alias.name}"
    member = f" [{one.set_id}]" if one.set_id else ""
    ttl = "" if one.ttl_s is None else f" ttl {one.ttl_s}"
    return f"{what}{member}{ttl}"
