"""A receiver's own shape is filled with facts; nothing in a fact can break it."""

import json

import pytest

from dnsplan.notices import Change, Notice
from dnsplan.runtime.paging.template import FIELDS, facts_of, filled, mistakes

FACTS = {
    "id": "empty-name/shop/www.example.com.",
    "change": "page",
    "title": 'a "quoted" title \\ with {label} and\nlines',
    "label": "shop",
    "at_s": 1.5,
    "run": ["dns-runbook status shop"],
}
PAGERDUTY = {
    "routing_key": "{secret}",
    "event_action": {"by_change": {"page": "trigger", "recovery": "resolve"}},
    "dedup_key": "{id}",
    "payload": {"summary": "{title}", "source": "dnsplan {label}", "custom_details": ["{run}", 1]},
}


def facts(change: Change = Change.PAGE) -> dict[str, object]:
    """As a template sees a notice."""
    known = {**FACTS, "change": str(change)}
    said = Notice(str(FACTS["id"]), change, str(FACTS["title"]), "PAGE: text", 1.5, known)
    return facts_of(said, "key-0123")


def test_a_shape_is_filled_and_stays_json() -> None:
    """A text that is a place alone becomes the fact, with its type; others have it inside."""
    assert json.loads(json.dumps(filled(PAGERDUTY, facts()))) == {
        "routing_key": "key-0123",
        "event_action": "trigger",
        "dedup_key": FACTS["id"],
        "payload": {
            "summary": FACTS["title"],
            "source": "dnsplan shop",
            "custom_details": [FACTS["run"], 1],
        },
    }


@pytest.mark.parametrize(
    ("change", "action"), [(Change.RECOVERY, "resolve"), (Change.FOLDED, None)]
)
def test_a_value_may_depend_on_what_is_said(change: Change, action: str | None) -> None:
    """What no choice names is null."""
    said = filled(PAGERDUTY, facts(change))
    assert isinstance(said, dict)
    assert said["event_action"] == action


def test_every_place_has_a_fact_for_every_notice() -> None:
    """Also for one with no name, label or answers to tell: the place is empty, never an error."""
    bare = facts_of(Notice("unseen", Change.PAGE, "t", "x", 0.0, {"change": "page"}))
    assert [filled(f"<{{{field}}}>", bare) for field in FIELDS if bare[field] is None] == [
        "<>" for field in FIELDS if bare[field] is None
    ]


def test_places_that_nobody_can_fill_are_mistakes() -> None:
    """At the start, not at the first page."""
    template = {"a": ["{titel}"], "b": {"by_change": {"pages": "x"}}, "c": {"by_change": "x"}}
    assert [found for found, _ in mistakes(template)] == [
        "{titel}",
        "by_change: pages",
        "by_change without choices",
    ]
    assert list(mistakes(PAGERDUTY)) == []
