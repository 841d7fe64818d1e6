"""In sync, held or unhealthy: each reason stands alone, and nothing unread counts as fine."""

import msgspec
import pytest

from dnsplan.runtime.status.model import (
    EnactorStatus,
    FenceStatus,
    NameStatus,
    Report,
    Status,
    Unread,
    ZoneStatus,
)
from dnsplan.runtime.status.verdict import (
    ENACTOR_QUIET_S,
    Standing,
    Verdict,
    judge_report,
    judge_zone,
    worst,
)

AZS = ("use1-az1", "use1-az2")
FENCE = FenceStatus(
    generation=7, step=2, steps=2, base=6, held=0, owner="o", writer="w", nonce="n", digest="d"
)
SEEN = EnactorStatus(az="use1-az1", generation=7, age_s=3, holding=None)
GOOD = ZoneStatus(
    label="shop",
    zone="example.com.",
    zone_id="Z1",
    head=7,
    applied=7,
    last_known_good=7,
    floor=1,
    frozen=None,
    pin=None,
    ahead=None,
    fence=FENCE,
    names=(NameStatus(name="example.com.", type="A", answers=2, targets=2, healthy=2),),
    enactors=(SEEN, msgspec.structs.replace(SEEN, az="use1-az2")),
)


def changed(**fields: object) -> ZoneStatus:
    """The good zone with some fields of its own changed."""
    return msgspec.structs.replace(GOOD, **fields)


def test_a_zone_where_all_agree_is_in_sync() -> None:
    """Head stands in the zone, whole, and every AZ sees it."""
    assert Verdict("shop", Standing.IN_SYNC, ()) == judge_zone(GOOD, (), azs=AZS)


@pytest.mark.parametrize(
    ("zone", "standing", "reason"),
    [
        (changed(head=None), Standing.BEHIND, "no plan is published yet"),
        (changed(head=0), Standing.BEHIND, "no plan is published yet"),
        (changed(head=8), Standing.BEHIND, "generation 7 is applied, 8 should be"),
        (changed(fence=None, applied=0), Standing.BEHIND, "the zone has no fence yet"),
        (
            changed(fence=None),
            Standing.BEHIND,
            "the zone has no fence any more; look at dns-runbook explain shop",
        ),
        (
            changed(fence=msgspec.structs.replace(FENCE, generation=6)),
            Standing.BEHIND,
            "the fence is at generation 6, 7 should be",
        ),
        (
            changed(fence=msgspec.structs.replace(FENCE, step=1)),
            Standing.BEHIND,
            "the fence is at step 1 of 2",
        ),
        (
            changed(enactors=(SEEN, msgspec.structs.replace(SEEN, az="use1-az2", generation=6))),
            Standing.BEHIND,
            "enactor use1-az2 sees generation 6, 7 should be",
        ),
        (
            changed(
                enactors=(EnactorStatus(az="use1-az1", generation=None, age_s=None, holding=None),)
            ),
            Standing.BEHIND,
            "enactor use1-az1 has never looked at the zone",
        ),
        (
            changed(fence=msgspec.structs.replace(FENCE, held=1)),
            Standing.UNHEALTHY,
            "names held: 1",
        ),
        (
            changed(names=(NameStatus(name="a.", type="A", answers=0, targets=1, healthy=0),)),
            Standing.UNHEALTHY,
            "a. A has no answers",
        ),
        (
            changed(enactors=(msgspec.structs.replace(SEEN, age_s=ENACTOR_QUIET_S + 1),)),
            Standing.UNHEALTHY,
            "enactor use1-az1 was last seen 61 s ago, more than 60 s",
        ),
    ],
)
def test_each_thing_out_of_place_is_told_and_never_in_sync(
    zone: ZoneStatus, standing: Standing, reason: str
) -> None:
    """One thing out of place is enough, and its sentence has the number and what it should be."""
    verdict = judge_zone(zone, (), azs=AZS)
    assert standing is verdict.standing
    assert any(found.startswith(reason) for found in verdict.reasons), verdict.reasons


def test_trouble_weighs_more_than_a_hold_and_a_hold_more_than_lag() -> None:
    """All reasons are told, the worst first."""
    frozen = changed(frozen="fz1", head=8)
    assert Standing.HELD is judge_zone(frozen, (), azs=AZS).standing
    empty = (NameStatus(name="a.", type="A", answers=0, targets=1, healthy=0),)
    verdict = judge_zone(msgspec.structs.replace(frozen, names=empty), (), azs=AZS)
    assert Standing.UNHEALTHY is verdict.standing
    assert len(verdict.reasons) == 6
    assert verdict.reasons[0].startswith("a. A has no answers")


@pytest.mark.parametrize(
    ("zone", "reason"),
    [
        (changed(frozen="fz1"), "frozen by fz1; ends with dns-runbook thaw shop fz1"),
        (changed(ahead=9), "the fence was seen at generation 9, above head 7"),
        (
            changed(enactors=(msgspec.structs.replace(SEEN, holding="plan missing"),)),
            "enactor use1-az1 holds: plan missing",
        ),
    ],
)
def test_a_hold_is_told_apart_from_a_failure(zone: ZoneStatus, reason: str) -> None:
    """Somebody or something decided to do nothing; that is not the same as broken."""
    verdict = judge_zone(zone, (), azs=AZS)
    assert Standing.HELD is verdict.standing
    assert verdict.reasons[0].startswith(reason)


def test_under_a_pin_the_pinned_generation_is_the_wanted_one() -> None:
    """Head goes on above a pin without the zone being behind."""
    pinned = changed(head=9, pin=7)
    assert Standing.IN_SYNC is judge_zone(pinned, (), azs=AZS).standing
    assert Standing.BEHIND is judge_zone(changed(head=9, pin=8), (), azs=AZS).standing


@pytest.mark.parametrize("label", [None, "shop"])
def test_what_was_not_read_is_never_in_sync(label: str | None) -> None:
    """Blind is not fine, also when all that is shown looks fine."""
    lost = Unread(label, "the fence", "timed out")
    verdict = judge_zone(GOOD, (lost,), azs=AZS)
    assert Verdict("shop", Standing.UNHEALTHY, (str(lost),)) == verdict


def test_another_zones_unread_part_concerns_only_that_zone() -> None:
    """One zone that cannot be read does not colour the others."""
    report = Report(
        Status((GOOD, changed(label="other"))), (Unread("other", "the fence", "timed out"),)
    )
    found = judge_report(report, azs=AZS)
    assert [one.standing for one in found] == [Standing.IN_SYNC, Standing.UNHEALTHY]


def test_an_az_that_is_no_longer_configured_troubles_nobody() -> None:
    """Its last sign of life ages for ever."""
    gone = EnactorStatus(az="use1-az9", generation=2, age_s=90_000, holding=None)
    zone = changed(enactors=(*(GOOD.enactors or ()), gone))
    assert Standing.IN_SYNC is judge_zone(zone, (), azs=AZS).standing


def test_several_zones_stand_as_the_worst_of_them() -> None:
    """Unhealthy before held before behind before in sync; no zones at all are in sync."""

    def summed(*standings: Standing) -> Standing:
        return worst(Verdict("z", standing, ()) for standing in standings)

    assert Standing.UNHEALTHY is summed(Standing.IN_SYNC, Standing.HELD, Standing.UNHEALTHY)
    assert Standing.HELD is summed(Standing.IN_SYNC, Standing.BEHIND, Standing.HELD)
    assert Standing.BEHIND is summed(Standing.IN_SYNC, Standing.BEHIND)
    assert Standing.IN_SYNC is summed(Standing.IN_SYNC)
    assert Standing.IN_SYNC is summed()
