"""The Route 53 rows about batches: each shows one thing that real Route 53 does."""

from tests.contracts.aws.places import Zone, record, values
from tests.contracts.aws.route53_statements import alias, fence, weighted
from tests.contracts.aws.rows import Case, row
from tests.contracts.aws.talk import Talk

ROWS: list[Case] = []


@row(ROWS, "the first change of a failed batch stays")
async def m01_a_failed_batch_leaves_nothing(talk: Talk) -> None:
    """A batch is applied whole or not at all."""
    zone = await Zone.make(talk)
    assert await zone.create(record(zone.at("a")), record("a.example.org.")) != ""
    assert await zone.held() == []


@row(ROWS, "DELETE asks a journal of all past changes, not the record")
async def m02_delete_of_an_overwritten_value(talk: Talk) -> None:
    """A value that was there once is not there now."""
    zone = await Zone.make(talk)
    await zone.upsert(fence(zone, "1"))
    await zone.upsert(fence(zone, "2"))
    assert "do not match the current values" in await zone.delete(fence(zone, "1"))
    assert values(await zone.held()) == ['"2"']


@row(ROWS, "the second DELETE is accepted too")
async def m03_delete_twice(talk: Talk) -> None:
    """What is gone is not found."""
    zone = await Zone.make(talk)
    await zone.create(fence(zone, "1"))
    assert await zone.delete(fence(zone, "1")) == ""
    assert "but it was not found" in await zone.delete(fence(zone, "1"))


@row(ROWS, "two record sets of one name and type stand")
async def m04_create_over_another_value(talk: Talk) -> None:
    """CREATE is refused where a set is, whatever it holds."""
    zone = await Zone.make(talk)
    await zone.create(fence(zone, "1"))
    assert "but it already exists" in await zone.create(fence(zone, "2"))
    assert values(await zone.held()) == ['"1"']


@row(ROWS)
async def m05_create_over_the_same_value(talk: Talk) -> None:
    """CREATE is refused where a set is, also where it holds the same."""
    zone = await Zone.make(talk)
    await zone.create(fence(zone, "1"))
    assert "but it already exists" in await zone.create(fence(zone, "1"))


@row(ROWS, "the journal refuses the second CREATE while anything sorts after it")
async def m06_create_delete_create(talk: Talk) -> None:
    """What was deleted can be created again."""
    zone = await Zone.make(talk)
    one, later = record(zone.at("a")), record(zone.at("b"))
    await zone.create(one, later)
    await zone.delete(one)
    assert await zone.create(one) == ""


@row(ROWS)
async def m07_swap_in_one_batch(talk: Talk) -> None:
    """DELETE of the present value and CREATE of the next, in one batch."""
    zone = await Zone.make(talk)
    await zone.create(fence(zone, "1"))
    assert await zone.send(("DELETE", fence(zone, "1")), ("CREATE", fence(zone, "2"))) == ""
    assert values(await zone.held()) == ['"2"']


@row(ROWS, "a stale swap is accepted and overwrites the winner")
async def m08_a_stale_swap_is_refused_whole(talk: Talk) -> None:
    """The fence: of two swaps from one value, the second finds another value there."""
    zone = await Zone.make(talk)
    await zone.create(fence(zone, "1"))
    www = record(zone.at("www"))
    assert await zone.send(("DELETE", fence(zone, "1")), ("CREATE", fence(zone, "2a"))) == ""
    assert "do not match the current values" in await zone.send(
        ("DELETE", fence(zone, "1")), ("CREATE", fence(zone, "2b")), ("UPSERT", www)
    )
    assert values(await zone.held()) == ['"2a"']


@row(ROWS, "the code is InvalidInput")
async def m09_a_swap_from_a_value_nobody_wrote(talk: Talk) -> None:
    """The refusal has the code that says a batch cannot be applied."""
    zone = await Zone.make(talk)
    await zone.create(fence(zone, "1"))
    answer = await zone.send(("DELETE", fence(zone, "0")), ("CREATE", fence(zone, "2")))
    assert answer.startswith("InvalidChangeBatch: [Tried to delete resource record set")


@row(ROWS, "every set in the zone with that identifier goes")
async def m10_delete_by_identifier_is_one_set(talk: Talk) -> None:
    """An identifier is one within its name and type."""
    zone = await Zone.make(talk)
    other = record(zone.at("a"), "AAAA", "2001:db8::1", SetIdentifier="az1", Weight=1)
    await zone.create(weighted(zone, "a", "az1"), weighted(zone, "b", "az1"), other)
    assert await zone.delete(weighted(zone, "a", "az1")) == ""
    left = [(one["Name"].partition(".")[0], one["Type"]) for one in await zone.held()]
    assert left == [("a", "AAAA"), ("b", "A")]


@row(ROWS, "the whole group goes")
async def m11_delete_without_the_identifier(talk: Talk) -> None:
    """A weighted group is not the simple set of the same name."""
    zone = await Zone.make(talk)
    await zone.create(weighted(zone, "a", "az1"), weighted(zone, "a", "az2"))
    assert "but it was not found" in await zone.delete(record(zone.at("a")))
    assert len(await zone.held()) == 2


@row(ROWS, "simple and weighted sets stand side by side")
async def m12_simple_beside_weighted(talk: Talk) -> None:
    """A name and type has one policy."""
    zone = await Zone.make(talk)
    await zone.create(record(zone.at("a")))
    assert "a non-weighted set exists" in await zone.create(weighted(zone, "a", "az1"))


@row(ROWS, "weighted and failover sets stand side by side")
async def m13_weighted_beside_failover(talk: Talk) -> None:
    """A name and type has one policy, whichever two are mixed."""
    zone = await Zone.make(talk)
    await zone.create(weighted(zone, "a", "az1"))
    failover = record(zone.at("a"), SetIdentifier="f", Failover="SECONDARY")
    assert (await zone.create(failover)).startswith("InvalidChangeBatch")


@row(ROWS, "a CNAME stands anywhere")
async def m14_a_cname_stands_alone(talk: Talk) -> None:
    """Not beside another set, not at the apex."""
    zone = await Zone.make(talk)
    await zone.create(record(zone.at("a")))
    beside = await zone.create(record(zone.at("a"), "CNAME", "x.example.org."))
    apex = await zone.create(record(zone.name, "CNAME", "x.example.org."))
    assert "conflicts with other records" in beside
    assert "is not permitted at apex" in apex


@row(ROWS, "after an UPSERT the SOA can be deleted; before it, the code is wrong")
async def m15_the_apex_keeps_ns_and_soa(talk: Talk) -> None:
    """They are refused as protected, also after they were written by a client."""
    zone = await Zone.make(talk)
    for kind in ("NS", "SOA"):
        there = await zone.apex(kind)
        assert (await zone.delete(there)).startswith("InvalidChangeBatch: [A HostedZone must")
        assert await zone.upsert(there) == ""
        assert "A HostedZone must contain" in await zone.delete(there)


@row(ROWS, "TXT values are not looked at")
async def m16_txt_is_quoted_and_short(talk: Talk) -> None:
    """A string is quoted and has at most 255 characters."""
    zone = await Zone.make(talk)
    bare = await zone.create(record(zone.at("a"), "TXT", "bare"))
    long = await zone.create(record(zone.at("a"), "TXT", '"' + "x" * 300 + '"'))
    assert "should be enclosed in quotation marks" in bare
    assert "CharacterStringTooLong" in long


@row(ROWS, "characters are not counted")
async def m17_a_batch_has_32000_characters(talk: Talk) -> None:
    """200 UPSERTs of 250 characters count 100,000."""
    zone = await Zone.make(talk)
    many = [record(zone.at(f"t{n}"), "TXT", '"' + "x" * 248 + '"') for n in range(200)]
    assert "limit of 32000 exceeded" in await zone.upsert(*many)


@row(ROWS)
async def m18_a_batch_has_1000_elements(talk: Talk) -> None:
    """501 UPSERTs count 1,002."""
    zone = await Zone.make(talk)
    many = [record(zone.at(f"n{n}")) for n in range(501)]
    assert "Number of records limit of 1000 exceeded." in await zone.upsert(*many)


@row(ROWS, "aliases are not counted")
async def m19_aliases_are_elements(talk: Talk) -> None:
    """1,001 aliases count 1,001."""
    zone = await Zone.make(talk)
    await zone.create(record(zone.at("t")))
    many = [alias(zone, f"n{n}", "t") for n in range(1001)]
    assert "Number of records limit of 1000 exceeded." in await zone.create(*many)
