"""What a page says: rule, numbers, name, evidence, what to restore, and what to run."""

import json

import pytest

from dnsplan.names import Name
from dnsplan.notices import Change
from sentinel.rules.dossier import Dossier, Evidence, explained
from sentinel.rules.findings import Finding, Seen
from sentinel.rules.judging import Ailment, Look
from sentinel.rules.notices import notice
from sentinel.rules.opinion import Absent, Aliased, NotAsked
from sentinel.rules.paging import Kind, Page, Subject, Turn
from sentinel.rules.remembering import LastGood
from sentinel.rules.wording import NAMES_SHOWN_MAX
from tests.unit.sentinel.cases import API

NOON_S = 1_760_875_200.0
KEY = ("shop", API)
SUBJECT = Subject(Kind.NAME, "shop", API)
EMPTY = (Ailment("A", Finding.NODATA),)
GOOD = LastGood(("192.0.2.20",), 30, NOON_S - 7, (("192.0.2.20", 1.0), ("192.0.2.21", 1.0)))
LOOKS = tuple(
    Look("A", server, transport, Seen(Finding.NODATA))
    for server in ("ns1.example.net. (192.0.2.53)", "192.0.2.54")
    for transport in ("udp", "tcp")
)


def dossier(**opinions: object) -> Dossier:
    """Evidence about one name."""
    evidence = Evidence(LOOKS, {"A": GOOD}, opinions)  # type: ignore[arg-type]  # by the caller
    return Dossier(30.0, {KEY: evidence}, watched=3, names_max=5)


def test_the_page_of_an_empty_name() -> None:
    """The whole text, as people get it."""
    page = Page(SUBJECT, NOON_S, EMPTY, (KEY,))
    said = notice(Turn(Change.PAGE, page), dossier(A=Absent()), now_s=NOON_S)
    assert said.text == (
        "PAGE: api.example.com. (zone shop) has no answers: A nodata\n"
        "id: empty-name/shop/api.example.com.\n"
        "A: nodata: NOERROR with nothing in it; 0 of 4 questions answered, all should be\n"
        "  ns1.example.net. (192.0.2.53) udp: nodata\n"
        "  ns1.example.net. (192.0.2.53) tcp: nodata\n"
        "  192.0.2.54 udp: nodata\n"
        "  192.0.2.54 tcp: nodata\n"
        "  the control API lists no such record set\n"
        "  last good answers: A 192.0.2.20 (TTL 30 s) at 2025-10-19 11:59:53Z;"
        " shortly before also 192.0.2.21\n"
        "\n"
        "run: dns-runbook status shop\n"
        "run: dns-sentinel check --zones shop\n"
        "read: runbooks/empty-name.md\n"
    )


def test_the_notice_of_recovery() -> None:
    """It names the same id and when the page was opened."""
    page = Page(SUBJECT, NOON_S, EMPTY, (KEY,))
    said = notice(Turn(Change.RECOVERY, page), dossier(), now_s=NOON_S + 60)
    assert said.page_id == "empty-name/shop/api.example.com."
    assert said.change is Change.RECOVERY
    assert said.text == (
        "WELL AGAIN: api.example.com. (zone shop) answers\n"
        "id: empty-name/shop/api.example.com.\n"
        "It was paged at 2025-10-19 12:00:00Z.\n"
    )


def test_the_facts_are_the_text_for_programs() -> None:
    """They are plain JSON, with the id, the verdict and what to restore."""
    page = Page(SUBJECT, NOON_S, EMPTY, (KEY,))
    said = notice(Turn(Change.CHANGE, page), dossier(), now_s=NOON_S)
    facts = json.loads(json.dumps(dict(said.facts)))
    assert facts == {
        "id": "empty-name/shop/api.example.com.",
        "change": "change",
        "into": None,
        "kind": "empty-name",
        "title": "api.example.com. (zone shop) has no answers: A nodata",
        "label": "shop",
        "name": "api.example.com.",
        "verdict": [{"type": "A", "finding": "nodata", "partly": False}],
        "names": [{"label": "shop", "name": "api.example.com."}],
        "last_good": {
            "A": {
                "values": ["192.0.2.20"],
                "earlier": ["192.0.2.21"],
                "ttl_s": 30,
                "seen_s": NOON_S - 7,
            }
        },
        "opened_s": NOON_S,
        "at_s": NOON_S,
        "run": ["dns-runbook status shop", "dns-sentinel check --zones shop"],
        "runbook": "empty-name",
    }


def test_an_alias_that_answers_nothing_is_called_dangling() -> None:
    """DNS shows NODATA; only the control API knows that there is an alias, and where to."""
    opinions = {"A": Aliased(("gone.example.com.",), ("gone.example.com.",))}
    assert explained(EMPTY, opinions) == (Ailment("A", Finding.DANGLING),)
    failing = (Ailment("A", Finding.SERVFAIL),)
    assert explained(failing, opinions) == failing
    page = Page(SUBJECT, NOON_S, EMPTY, (KEY,))
    said = notice(Turn(Change.PAGE, page), dossier(**opinions), now_s=NOON_S)
    assert said.title == "api.example.com. (zone shop) has no answers: A dangling"
    assert "an alias to gone.example.com., which is not in the zone" in said.text


def test_a_control_api_that_is_gone_is_said_and_changes_nothing() -> None:
    """The verdict stays the name servers'."""
    opinions = {"A": NotAsked("list shop: EndpointConnectionError")}
    page = Page(SUBJECT, NOON_S, EMPTY, (KEY,))
    said = notice(Turn(Change.PAGE, page), dossier(**opinions), now_s=NOON_S)
    assert said.title == "api.example.com. (zone shop) has no answers: A nodata"
    assert "the control API was not heard: list shop: EndpointConnectionError" in said.text


def test_a_name_that_never_answered_is_said_to_have_nothing_to_restore() -> None:
    """No answer is made up."""
    page = Page(SUBJECT, NOON_S, EMPTY, (KEY,))
    said = notice(Turn(Change.PAGE, page), Dossier(30.0, {KEY: Evidence()}), now_s=NOON_S)
    assert "last good answers: none; no A answer has been seen yet" in said.text


def test_a_page_about_many_names_counts_what_it_does_not_show() -> None:
    """The first names with what each last answered, and how many more there are."""
    covered = tuple(("shop", Name(f"n{at:02}.example.com.")) for at in range(25))
    evidence = {covered[0]: Evidence(last_good={"A": GOOD})}
    page = Page(Subject(Kind.ZONE, "shop"), NOON_S, (), covered)
    lines = notice(Turn(Change.PAGE, page), Dossier(30.0, evidence), now_s=NOON_S).text.split("\n")
    assert lines[0] == "PAGE: many names of zone shop have no answers"
    assert lines[2] == "at least these 25:"
    assert lines[3].startswith("shop n00.example.com.: last good answers: A 192.0.2.20 (TTL 30 s)")
    assert lines[3 + NAMES_SHOWN_MAX] == "and 5 more"


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("change", list(Change))
def test_every_page_names_its_id_and_a_command(kind: Kind, change: Change) -> None:
    """Whatever is paged, a person knows what to fold and what to run."""
    label = "shop" if kind in (Kind.NAME, Kind.ZONE, Kind.UNSEEN_ZONE) else ""
    subject = Subject(kind, label, API if kind is Kind.NAME else "")
    page = Page(subject, NOON_S, EMPTY if kind is Kind.NAME else (), (KEY,))
    said = notice(Turn(change, page), dossier(), now_s=NOON_S)
    assert f"id: {subject.page_id}\n" in said.text
    assert ("run: dns-" in said.text) == (change is not Change.RECOVERY)
    assert said.text.endswith("\n")
    assert said.title in said.text
