"""Which zone answers for a name, in each view."""

from sandbox.dns.zones import directory, sets_of
from sandbox.route53.model import StoredRecordSet
from tests.unit.sandbox_dns.memory_zone import MemoryZone, record

PARENT = MemoryZone(name="example.com.", zone_id="ZP")
CHILD = MemoryZone(name="sub.example.com.", zone_id="ZC")
INSIDE = MemoryZone(name="example.com.", zone_id="ZI", private=True)


def test_the_longest_suffix_wins() -> None:
    """A name in a child zone is answered by the child, its neighbours by the parent."""
    seen = directory([PARENT, CHILD], "public")
    assert CHILD is seen.zone_of("a.sub.example.com.")
    assert CHILD is seen.zone_of("sub.example.com.")
    assert PARENT is seen.zone_of("xsub.example.com.")


def test_a_suffix_is_a_suffix_of_labels() -> None:
    """A name that merely ends in the same letters is foreign."""
    seen = directory([PARENT], "public")
    assert seen.zone_of("badexample.com.") is None
    assert seen.zone_of("a\\056example.com.") is None
    assert seen.zone_of(".") is None


def test_the_public_view_knows_no_private_zone() -> None:
    """Neither by name nor as the target of an alias."""
    seen = directory([INSIDE], "public")
    assert seen.zone_of("example.com.") is None
    assert seen.by_id == {}


def test_the_private_view_asks_private_zones_first() -> None:
    """A private zone hides a public one of the same name, and a longer public one too."""
    seen = directory([PARENT, CHILD, INSIDE], "private")
    assert INSIDE is seen.zone_of("www.example.com.")
    assert INSIDE is seen.zone_of("a.sub.example.com.")


def test_the_private_view_sees_public_zones_besides() -> None:
    """A name in no private zone is answered as everybody sees it."""
    other = MemoryZone(name="example.net.", zone_id="ZN")
    seen = directory([INSIDE, other], "private")
    assert other is seen.zone_of("example.net.")


def test_of_two_zones_of_one_name_the_first_is_served() -> None:
    """Both can still be reached by id."""
    twin = MemoryZone(name="example.com.", zone_id="ZT")
    seen = directory([PARENT, twin], "public")
    assert PARENT is seen.zone_of("example.com.")
    assert {"ZP": PARENT, "ZT": twin} == seen.by_id


def test_a_delegation_signer_stands_in_the_parent() -> None:
    """DS of a zone's own apex is asked of the zone above, if it is here; nothing else is."""
    seen = directory([PARENT, CHILD], "public")
    assert PARENT is seen.zone_for("sub.example.com.", "DS")
    assert CHILD is seen.zone_for("sub.example.com.", "NS")
    assert CHILD is seen.zone_for("a.sub.example.com.", "DS")
    assert PARENT is seen.zone_for("example.com.", "DS")


def test_sets_of_a_type_come_by_identifier() -> None:
    """No order of insertion can reach an answer."""
    sets = [record("a.", "A", "192.0.2.1", set_id=name, weight=1) for name in ("b", "c", "a")]
    other = record("a.", "TXT", '"x"')
    held: dict[tuple[str, str], StoredRecordSet] = {one.key: one for one in [*sets, other]}
    assert [one.set_id for one in sets_of(held, "A")] == ["a", "b", "c"]
