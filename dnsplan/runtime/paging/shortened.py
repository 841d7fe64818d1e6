"""A page made short, for whatever takes only so much: a part of it, and never nothing.

The worst page is the longest one, since it names everything that is down. Pure.
"""

from dataclasses import replace

from dnsplan.notices import Notice

# Short enough for a chat's message, and a person reads no further at night.
TEXT_CHARS_MAX = 4_000
WORD_CHARS_MAX = 1_000
ITEMS_MAX = 20
REST = "\n(shortened: the log has the whole page)\n"


def shortened(notice: Notice) -> Notice:
    """The same message with the first of each long list; `shortened` among its facts says so."""
    text = notice.text
    if len(text) > TEXT_CHARS_MAX:
        text = text[: TEXT_CHARS_MAX - len(REST)] + REST
    facts = {key: _short(value) for key, value in notice.facts.items()} | {"shortened": True}
    return replace(notice, title=notice.title[:WORD_CHARS_MAX], text=text, facts=facts)


def _short(value: object) -> object:
    match value:
        case str():
            return value[:WORD_CHARS_MAX]
        case list() | tuple():
            return [_short(one) for one in value[:ITEMS_MAX]]
        case dict():
            return {key: _short(one) for key, one in list(value.items())[:ITEMS_MAX]}
        case _:
            return value
