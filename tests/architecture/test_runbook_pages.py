"""Whatever holds or pages has a page, and what a page tells to type is taken as it is printed."""

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest

import runbooks.main
from dnsplan.bounds import NAMES_CHANGED, TTL
from dnsplan.errors import DnsplanError, FenceDamaged, PlanMissing, ReadFailed
from dnsplan.guardrails import FLOOR, HANDS_OFF, NEVER_EMPTY, VELOCITY
from dnsplan.pages import path_of
from dnsplan.violation import Violation
from enactor.once import in_words
from enactor.rules.causes import KINDS as ENACTOR_KINDS
from enactor.rules.causes import RUNBOOKS as ENACTOR_RUNBOOKS
from enactor.rules.outcomes import Held as EnactorHeld
from enactor.rules.outcomes import HoldRule as EnactorRule
from planner.rules.causes import KINDS as PLANNER_KINDS
from planner.rules.causes import RUNBOOKS as PLANNER_RUNBOOKS
from planner.rules.outcomes import Held as PlannerHeld
from planner.rules.outcomes import HoldRule as PlannerRule
from planner.rules.outcomes import Refused as PlanRefused
from planner.show.words import held_words, plan_words
from runbooks.controls.outside import Refused
from runbooks.controls.reading_on import COMMANDS, RUNNING
from runbooks.controls.session import exit_code_of
from runbooks.explaining.findings import Finding as Explained
from runbooks.explaining.findings import State
from runbooks.explaining.holds import RULES
from sentinel.rules.findings import Finding
from sentinel.rules.paging import Kind
from sentinel.rules.wording import runbook
from sentinel.rules.zone_faults import ZONE_KINDS
from tests.architecture.test_named_commands import FILLED, PROGRAMS, trouble

FOLDER = Path(__file__).parents[2] / "runbooks"
INDEX = FOLDER / "README.md"
GUARDRAILS = (NEVER_EMPTY, HANDS_OFF, FLOOR, VELOCITY, NAMES_CHANGED, TTL)
PAGES = sorted(page for page in FOLDER.glob("*.md") if page != INDEX)
SECTIONS = ("What it means", "Check", "Do", "How to know that it worked")
ROW = re.compile(r"^\|(.+)\|\s*\[[^\]]+\]\(([a-z-]+\.md)\)\s*\|$", re.MULTILINE)
PROMPT = re.compile(r"^\$ (dns-[a-z]+ .+)$", re.MULTILINE)
INLINE = re.compile(r"`(dns-(?:runbook|planner|enactor|sentinel|sandbox)(?: [^`]+)?)`")
# What a page leaves to the reader, as a command's own help writes it.
PLACE = re.compile(r"^[A-Z]+$")


def indexed() -> dict[str, str]:
    """What the index names in code, and the page that it leads to."""
    found = {}
    for says, page in ROW.findall(INDEX.read_text()):
        found.update(dict.fromkeys(re.findall(r"`([^`]+)`", says), page))
    return found


def words_of(command: str) -> list[str]:
    """A command line as a shell would split it, up to a pipe; places are filled in."""
    quoted = re.sub(r'"[^"]*"', FILLED, command)
    words = quoted.partition(" | ")[0].partition(" > ")[0].split()
    return [FILLED if PLACE.match(word) else word for word in words]


def commands() -> Iterator[tuple[str, str]]:
    """Each command of each page: what is typed at a prompt, and what stands in a sentence."""
    for page in [INDEX, *PAGES]:
        text = page.read_text()
        for command in [*PROMPT.findall(text), *INLINE.findall(text)]:
            if command.split()[0] in PROGRAMS:
                yield page.name, command


@pytest.mark.parametrize("rule", sorted({*map(str, EnactorRule), *map(str, PlannerRule)}), ids=str)
def test_every_hold_has_a_page(rule: str) -> None:
    """Of the planner, of cleanup and of the enactors."""
    assert rule in indexed()


@pytest.mark.parametrize("page", [*Kind, *(one for one in Finding if one != "answered")], ids=str)
def test_every_page_of_the_sentinel_has_a_page(page: Enum) -> None:
    """The kind of the page, and what it says of the name."""
    assert str(page.value) in indexed()
    if isinstance(page, Kind):
        assert indexed()[page.value] == f"{runbook(page)}.md"


@pytest.mark.parametrize("kind", [*ENACTOR_KINDS, *PLANNER_KINDS, *ZONE_KINDS])
def test_every_page_about_zones_has_a_page(kind: str) -> None:
    """As its id begins, so that who has only the id finds it."""
    assert kind in indexed()


def test_a_page_about_a_hold_names_a_page_of_its_rule() -> None:
    """One that the index leads to from it; an operator's own word needs none."""
    pages: dict[str, set[str]] = {}
    for says, page in ROW.findall(INDEX.read_text()):
        for rule in re.findall(r"`([^`]+)`", says):
            pages.setdefault(rule, set()).add(page)
    named = [*ENACTOR_RUNBOOKS.items(), *PLANNER_RUNBOOKS.items()]
    wrong = {
        str(rule): runbook
        for rule, runbook in named
        if runbook is not None and f"{runbook}.md" not in pages[str(rule)]
    }
    assert wrong == {}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_of_an_explanation_names_a_page(rule: str) -> None:
    """It stands on the line, and the page is there."""
    finding = Explained(rule, State.HOLDS, "something was measured", "dns-runbook status shop")
    assert finding.told.endswith(f"; page: {finding.page}")
    assert (FOLDER.parent / finding.page).exists()


REASONS = sorted(
    {*EnactorRule, *PlannerRule, *GUARDRAILS, *RULES, "fenced", "throttled", "unknown"}
)


@pytest.mark.parametrize("reason", REASONS, ids=str)
def test_every_reason_leads_to_a_page_that_is_there(reason: str) -> None:
    """Of holds, guardrails, explanations and writes; none falls back on the index."""
    assert path_of(reason) != path_of("nothing that is known")
    assert (FOLDER.parent / path_of(reason)).exists()


def test_what_is_said_of_a_hold_names_its_page() -> None:
    """By a planning pass, a cleanup pass and an enactor's cycle."""
    silent = [
        str(rule)
        for rule in PlannerRule
        if not held_words(PlannerHeld(rule, "why", "dns-x")).endswith(f"; page: {path_of(rule)}")
    ]
    silent += [
        str(rule)
        for rule in EnactorRule
        if not in_words("shop", EnactorHeld(rule, "why", "dns-x")).endswith(
            f"; page: {path_of(rule)}"
        )
    ]
    assert silent == []


@pytest.mark.parametrize("rule", GUARDRAILS)
def test_a_plan_that_is_refused_names_the_page(rule: str) -> None:
    """Of the guardrail."""
    refused = PlanRefused((Violation(rule, "example.com.", "www.example.com.", "2", "1"),))
    assert plan_words(refused).endswith(f"; page: {path_of(rule)}")


def test_every_command_has_a_page_for_what_it_refuses() -> None:
    """That is there; what only looks leads to the index."""
    named = {one.name for one in runbooks.main.app.registered_commands}
    assert named == COMMANDS.keys()
    assert [one for one in COMMANDS.values() if not (FOLDER / f"{one}.md").exists()] == []


@pytest.mark.parametrize(
    ("error", "page"),
    [
        (ReadFailed("no answer"), "table-unreachable"),
        (ReadFailed("list zones: Throttling: Rate exceeded"), "throttling"),
        (PlanMissing("plan shop 5 is not stored"), "lost-plan"),
        (FenceDamaged("no fence"), "lost-fence"),
        (Refused("shop is as it is"), "retire"),
    ],
    ids=str,
)
def test_a_command_that_fails_names_the_page(
    error: DnsplanError, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of what went wrong, or else its own."""

    def work() -> int:
        raise error

    token = RUNNING.set("retire")
    code = exit_code_of(work)
    RUNNING.reset(token)
    assert code == (3 if isinstance(error, Refused) else 1)
    assert capsys.readouterr().err == f"{error}\npage: runbooks/{page}.md\n"


def test_the_index_leads_to_every_page_and_to_no_other() -> None:
    """A page that nothing leads to is not found at 3 a.m."""
    linked = {page for _, page in ROW.findall(INDEX.read_text())}
    assert linked == {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_has_the_same_form(page: Path) -> None:
    """Symptom, what it means, what to check, what to do, how to know, how to undo."""
    sections = re.findall(r"^## (.+)$", page.read_text(), re.MULTILINE)
    assert sections[0] in ("Symptom", "When")
    assert [one for one in SECTIONS if one not in sections] == []
    assert any("ndo" in one for one in sections)


@pytest.mark.parametrize("page", [INDEX, *PAGES], ids=lambda page: page.stem)
def test_links_of_pages_lead_somewhere(page: Path) -> None:
    """To another page, beside it."""
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_command_of_every_page_is_taken() -> None:
    """With its arguments, as it is printed."""
    named = list(commands())
    assert len(named) > 60
    wrong = [
        f"{page}: {command}: {found}"
        for page, command in named
        if (found := trouble(words_of(command)))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("command", "is_wrong"),
    [
        ('dns-runbook freeze shop --because "bad deploy"', False),
        ("dns-runbook thaw shop FREEZE", False),
        ("dns-runbook thaw shop", True),
        ("dns-runbook roll-back shop 5", True),
        ("dns-runbook status shop --json | jq '.zones[0]'", False),
    ],
)
def test_a_wrong_command_is_found(command: str, is_wrong: bool) -> None:
    """This check can fail."""
    assert bool(trouble(words_of(command))) is is_wrong
