"""A DELETE is what was listed, word for word, and never what was wished or computed anew."""

import pytest
from msgspec import structs

from dnsplan.names import parse_name
from dnsplan.records import AliasTarget, RecordSet, Weighted
from enactor.rules.outcomes import Applied
from tests.cases.stages import Wire
from tests.fakes.world import a

WWW, KEEP = "www.example.com", a("b.example.com", "192.0.2.9")
MENDED = (f"{WWW}. was changed by others: mended",)
ELB = AliasTarget("Z35SXDOTRQ7X7K", parse_name("lb-1.us-east-1.elb.amazonaws.com"), False)


def member(health_check_id: str | None, value: str = "192.0.2.1") -> RecordSet:
    """A weighted member that may name a health check."""
    name = parse_name(WWW)
    return RecordSet(name, "A", 60, (value,), "a", Weighted(1), None, health_check_id)


async def mended(wire: Wire, ours: RecordSet, theirs: RecordSet, next_one: RecordSet) -> None:
    """A stranger changed one field of ours; the next plan still goes through and says so."""
    await wire.apply(KEEP, ours)
    wire.by_hand(("UPSERT", theirs))
    outcome = await wire.apply(KEEP, next_one)
    assert isinstance(outcome, Applied)
    assert (outcome.held, outcome.notes) == (0, MENDED)
    assert wire.content() == {KEEP, next_one}


async def test_b25_a_record_deleted_by_hand_comes_back_beside_our_mark(wire: Wire) -> None:
    """The fence is still there and the record is not: the batch is mended, and neither wedges."""
    await wire.apply(KEEP, a(WWW, "192.0.2.1"))
    wire.by_hand(("DELETE", a(WWW, "192.0.2.1")))
    outcome = await wire.apply(KEEP, a(WWW, "192.0.2.2"))
    assert isinstance(outcome, Applied)
    assert outcome.held == 0
    assert wire.content() == {KEEP, a(WWW, "192.0.2.2")}


@pytest.mark.parametrize("theirs", [a(WWW, "192.0.2.1", ttl_s=300), a(WWW, "192.0.2.7")])
async def test_b81_a_set_with_another_ttl_or_value_is_read_before_it_goes(
    wire: Wire, theirs: RecordSet
) -> None:
    """The exact set that stands is what the next DELETE names."""
    await mended(wire, a(WWW, "192.0.2.1"), theirs, a(WWW, "192.0.2.2"))


async def test_b110_an_alias_whose_flag_was_turned_is_deleted_as_it_stands(wire: Wire) -> None:
    """A loop of refused deletes cannot arise: the listing decides, flag by flag."""
    name = parse_name(WWW)
    ours = RecordSet(name, "A", None, (), alias=ELB)
    theirs = RecordSet(name, "A", None, (), alias=structs.replace(ELB, evaluate_target_health=True))
    await mended(wire, ours, theirs, a(WWW, "192.0.2.2"))


async def test_b57_a_member_goes_with_the_health_check_that_it_has(wire: Wire) -> None:
    """A check that somebody put on a member is part of what stands, and is echoed."""
    wire.route53.health_checks = frozenset({"hc-1"})
    await mended(wire, member(None), member("hc-1"), member(None, "192.0.2.2"))


async def test_b56_a_reference_to_a_check_that_is_gone_can_be_taken_off(wire: Wire) -> None:
    """The record is changed to name none, although the check it named exists no more."""
    wire.route53.health_checks = frozenset({"hc-1"})
    await wire.apply(KEEP, member("hc-1"))
    wire.route53.health_checks = frozenset()
    assert isinstance(await wire.apply(KEEP, member(None)), Applied)
    assert wire.content() == {KEEP, member(None)}


async def test_b56_a_check_that_does_not_exist_holds_its_name_and_no_other(wire: Wire) -> None:
    """Route 53 refuses the batch for one unknown check; the other names go on, and it is named."""
    await wire.apply(KEEP, member(None))
    outcome = await wire.apply(a("b.example.com", "192.0.2.8"), member("hc-gone"))
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    assert "hc-gone" in outcome.notes[0]
    assert wire.content() == {a("b.example.com", "192.0.2.8"), member(None)}
