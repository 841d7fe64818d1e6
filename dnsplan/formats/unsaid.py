"""What a foreign form cannot say about a record set, with the reason, so that nobody loses it."""

from dataclasses import dataclass

from dnsplan.names import Name, display
from dnsplan.records import RecordSet, policy_in_words


@dataclass(frozen=True, slots=True)
class Unsaid:
    """A record set that is not in the written text, and why."""

    name: Name
    type: str
    set_id: str | None
    why: str

    def __str__(self) -> str:
        """One line for a person."""
        member = f" [{self.set_id}]" if self.set_id else ""
        return f"{display(self.name)} {self.type}{member}: {self.why}"


@dataclass(frozen=True, slots=True)
class Written:
    """A text in a foreign form, and the record sets that it does not hold."""

    text: str
    unsaid: tuple[Unsaid, ...]


def unsaid(one: RecordSet, why: str) -> Unsaid:
    """A record set that cannot be said."""
    return Unsaid(one.name, one.type, one.set_id, why)


def simple_form(one: RecordSet) -> str | None:
    """Why a record set is more than name, type, TTL and values; None when it is just these.

    An alias is looked at last, since a form may have words for it.
    """
    if one.routing is not None:
        return f"it has {policy_in_words(one.routing)} routing, which only Route 53 knows"
    if one.health_check_id is not None:
        return "it has a health check, which only Route 53 knows"
    if one.alias is not None:
        return "it is an alias, which only Route 53 knows"
    return None
