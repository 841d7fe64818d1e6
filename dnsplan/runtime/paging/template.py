"""A webhook's body in the receiver's own shape: a template of JSON with places for facts.

`{title}` in a text is filled in; a text that is only `{at_s}` becomes the fact itself, be it a
number or a list. A mapping whose only key is `by_change` is one of several by what is said about
the page. Facts are put into values that are JSON already, so no title can break the shape.
"""

import re
from collections.abc import Iterator, Mapping

from dnsplan.notices import Change, Notice

BY_CHANGE = "by_change"
SECRET = "secret"  # noqa: S105 - the name of a place
FIELDS = (
    "id",
    "notice_id",
    "change",
    "into",
    "kind",
    "label",
    "name",
    "title",
    "text",
    "verdict",
    "names",
    "last_good",
    "opened_s",
    "at_s",
    "run",
    "runbook",
    SECRET,
)
_PLACE = re.compile(r"\{([a-z_]+)\}")


def facts_of(notice: Notice, secret: str | None = None) -> dict[str, object]:
    """Everything that a template may name."""
    known = {**notice.facts, "text": notice.text, "notice_id": notice.notice_id, SECRET: secret}
    return {field: known.get(field) for field in FIELDS}


def filled(template: object, facts: Mapping[str, object]) -> object:
    """The template with facts in its places; what a place names and nobody knows is empty."""
    match template:
        case str():
            return _filled_text(template, facts)
        case {"by_change": dict() as choices, **rest} if not rest:
            return filled(choices.get(str(facts["change"])), facts)
        case dict():
            return {key: filled(value, facts) for key, value in template.items()}
        case list():
            return [filled(one, facts) for one in template]
        case _:
            return template


def mistakes(template: object) -> Iterator[tuple[str, str]]:
    """What no notice can fill in: what was found, and what is allowed."""
    match template:
        case str():
            yield from _wrong_places(template)
        case dict():
            if set(template) == {BY_CHANGE}:
                yield from _wrong_changes(template[BY_CHANGE])
            for value in template.values():
                yield from mistakes(value)
        case list():
            for one in template:
                yield from mistakes(one)


def _wrong_places(text: str) -> Iterator[tuple[str, str]]:
    for field in _PLACE.findall(text):
        if field not in FIELDS:
            yield f"{{{field}}}", ", ".join(f"{{{one}}}" for one in FIELDS)


def _wrong_changes(choices: object) -> Iterator[tuple[str, str]]:
    allowed = [str(one) for one in Change]
    if not isinstance(choices, dict):
        yield f"{BY_CHANGE} without choices", f"a mapping with {', '.join(allowed)}"
        return
    for change in choices:
        if change not in allowed:
            yield f"{BY_CHANGE}: {change}", ", ".join(allowed)


def _filled_text(text: str, facts: Mapping[str, object]) -> object:
    if (whole := _PLACE.fullmatch(text)) is not None:
        return facts[whole[1]]
    return _PLACE.sub(lambda place: _shown(facts[place[1]]), text)


def _shown(fact: object) -> str:
    return "" if fact is None else str(fact)
