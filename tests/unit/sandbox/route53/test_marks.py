"""Every rule of the stand-in is marked, every mark is tested, every guess is a switch."""

import dataclasses
import importlib

from sandbox.route53.marks import MARKS, table
from sandbox.route53.switches import Switches
from tests.unit.sandbox.route53.cases import CASES

MODULES = (
    "route53.test_batch_rules",
    "route53.test_place_rules",
    "route53.test_value_rules",
    "route53.test_account",
    "aws.test_gate",
)
for module in MODULES:
    importlib.import_module(f"tests.unit.sandbox.{module}")


def test_every_marked_rule_has_a_test() -> None:
    """No rule stands that no test shows, and no test shows a rule that nobody marked."""
    assert {mark.id for mark in MARKS} == CASES.keys()


def test_every_guess_is_a_switch() -> None:
    """A rule that nobody verified has both answers; every switch belongs to a rule."""
    assert [mark.id for mark in MARKS if mark.known == "unverified" and mark.switch is None] == []
    switches = [mark.switch for mark in MARKS if mark.switch is not None]
    assert sorted(field.name for field in dataclasses.fields(Switches)) == sorted(switches)


def test_rules_have_one_name_each_and_a_source() -> None:
    """An id stands once; a claim says where it comes from."""
    assert len(MARKS) == len({mark.id for mark in MARKS})
    assert all(mark.source and mark.rule.endswith(".") for mark in MARKS)


def test_the_table_has_a_row_a_rule() -> None:
    """The printed table loses none."""
    rows = table().splitlines()
    assert len(MARKS) + 2 == len(rows)
    assert all(row.count("|") == 6 for row in rows)
