"""The Route 53 rows about names, listings, fields and time, and what a batch may hold."""

import asyncio

from tests.contracts.aws.places import Zone, labels, record, values
from tests.contracts.aws.route53_statements import alias, fence, weighted
from tests.contracts.aws.rows import Case, row
from tests.contracts.aws.talk import Talk, refusal

ROWS: list[Case] = []
CURSOR = ("StartRecordName", "StartRecordType", "StartRecordIdentifier")


@row(ROWS, "the asterisk comes back bare")
async def m20_a_wildcard_is_listed_escaped(talk: Talk) -> None:
    """Both spellings are one name, listed as \\052."""
    zone = await Zone.make(talk)
    await zone.create(record(zone.at("*")))
    assert labels(await zone.held()) == ["\\052"]
    assert "already exists" in await zone.create(record(zone.at("\\052")))


@row(ROWS, "characters come back as they were sent")
async def m21_other_characters_are_listed_escaped(talk: Talk) -> None:
    """Everything but a-z 0-9 - _ comes back as \\ooo."""
    zone = await Zone.make(talk)
    await zone.create(record(zone.at("a!b")), record(zone.at("a\\0331")))
    assert sorted(labels(await zone.held())) == ["a\\0331", "a\\041b"]


@row(ROWS, "case makes two record sets")
async def m22_names_are_folded(talk: Talk) -> None:
    """Case does not tell names apart, in the zone's own labels either."""
    zone = await Zone.make(talk)
    assert await zone.create(record(f"WWW.{zone.name.upper()}")) == ""
    assert "already exists" in await zone.create(record(zone.at("www")))
    assert labels(await zone.held()) == ["www"]


@row(ROWS, "the zone's name is a plain suffix")
async def m23_a_name_lies_in_its_zone(talk: Talk) -> None:
    """evil + zone is another domain."""
    zone = await Zone.make(talk)
    answer = await zone.create(record(f"evil{zone.name}"))
    assert f"is not permitted in zone {zone.name}" in answer


@row(ROWS, "identifiers are no cursor, pages repeat")
async def m24_a_group_is_paged_by_identifier(talk: Talk) -> None:
    """A group longer than a page is listed once, set by set."""
    zone = await Zone.make(talk)
    await zone.create(*[weighted(zone, "a", f"s{n}") for n in range(5)])
    found, cursor = [], {"StartRecordName": zone.at("a"), "StartRecordType": "A"}
    for _ in range(5):
        page = await zone.page(MaxItems="2", **cursor)
        found += [one.get("SetIdentifier") for one in page["ResourceRecordSets"]]
        if not page["IsTruncated"]:
            break
        named = {field: page.get(field.replace("Start", "Next")) for field in CURSOR}
        cursor = {field: text for field, text in named.items() if text is not None}
    assert found == ["s0", "s1", "s2", "s3", "s4"]


@row(ROWS, "all changes share one id and are INSYNC at once")
async def m25_a_change_has_its_own_id(talk: Talk) -> None:
    """PENDING when accepted, an id of its own, unknown ids are unknown."""
    zone = await Zone.make(talk)
    first = await zone.submit(("CREATE", record(zone.at("a"))))
    second = await zone.submit(("CREATE", record(zone.at("b"))))
    assert first["Id"] != second["Id"]
    assert first["Status"] == "PENDING"
    found = await talk.ask("route53", "get_change", Id=first["Id"])
    assert found["ChangeInfo"]["Id"] == first["Id"]
    assert (await refusal(talk.ask("route53", "get_change", Id="CNOPE"))).startswith("NoSuchChange")


@row(ROWS, "fields are not looked at")
async def m26_fields_are_checked(talk: Talk) -> None:
    """A bad address, a repeated value, a weight over 255, half a policy, an unknown check."""
    zone = await Zone.make(talk)
    name = zone.at("a")
    for bad, words in (
        (record(name, "A", "192.0.2"), "is not a valid IPv4 address"),
        (record(name, "A", "192.0.2.1", "192.0.2.1"), "Duplicate Resource Record"),
        (weighted(zone, "a", "x", 300), "maxInclusive"),
        (record(name, SetIdentifier="x"), "but found none"),
        (record(name, Weight=1), "Missing field 'SetIdentifier'"),
        (record(name, HealthCheckId="nope"), "NoSuchHealthCheck"),
    ):
        assert words in await zone.create(bad)
    assert await zone.held() == []


@row(ROWS, "two CREATEs of one name and type make two sets")
async def m27_a_set_is_changed_once_in_a_batch(talk: Talk) -> None:
    """The batch is refused as an invalid set of changes."""
    zone = await Zone.make(talk)
    answer = await zone.create(record(zone.at("a")), record(zone.at("a"), "A", "192.0.2.2"))
    assert "invalid set of changes for a resource record set" in answer


@row(ROWS, "values in another order do not match")
async def m28_values_have_no_order(talk: Talk) -> None:
    """DELETE compares values as a multiset."""
    zone = await Zone.make(talk)
    await zone.create(record(zone.at("a"), "A", "192.0.2.1", "192.0.2.2"))
    assert await zone.delete(record(zone.at("a"), "A", "192.0.2.2", "192.0.2.1")) == ""


@row(ROWS, "a wrong weight or alias target is accepted")
async def m29_delete_compares_weight_and_target(talk: Talk) -> None:
    """Both are part of what DELETE must state."""
    zone = await Zone.make(talk)
    await zone.create(weighted(zone, "w", "s", 1), record(zone.at("t")), record(zone.at("u")))
    await zone.create(alias(zone, "a", "t"))
    assert "do not match" in await zone.delete(weighted(zone, "w", "s", 2))
    assert "do not match" in await zone.delete(alias(zone, "a", "u"))


@row(ROWS, "an alias may point at nothing")
async def m30_an_alias_needs_its_target(talk: Talk) -> None:
    """A target that is not there is refused; one that is there comes back in listing form."""
    zone = await Zone.make(talk)
    assert "that target was not found" in await zone.create(alias(zone, "a", "t"))
    await zone.create(record(zone.at("t")))
    stated = alias(zone, "a", "t")
    stated["AliasTarget"]["DNSName"] = f"T.{zone.name[:-1]}"
    assert await zone.create(stated) == ""
    listed = next(one for one in await zone.held() if "AliasTarget" in one)
    assert listed == alias(zone, "a", "t")
    assert await zone.delete(listed) == ""


@row(ROWS)
async def m31_txt_round_trips(talk: Talk) -> None:
    """Quotes, backslashes and escapes come back as they were sent."""
    zone = await Zone.make(talk)
    sent = ['"a \\"quoted\\" word"', '"back\\\\slash"', '"\\303\\274" "<&>"', '"plain"']
    await zone.create(record(zone.at("a"), "TXT", *sent))
    assert values(await zone.held()) == sent


@row(ROWS)
async def m32_listings_go_by_reversed_labels(talk: Talk) -> None:
    """A name comes before the names below it."""
    zone = await Zone.make(talk)
    await zone.create(*[record(zone.at(label)) for label in ("b", "a.b", "a", "c", "z.a")])
    names = [one["Name"].removesuffix(f".{zone.name}") for one in await zone.held()]
    assert names == ["a", "z.a", "b", "a.b", "c"]


@row(ROWS, "requests are never throttled, changes never overlap")
async def m33_rates_and_overlapping_changes(talk: Talk) -> None:
    """More than five requests at once are throttled; a busy zone takes no second change."""
    zone = await Zone.make(talk)
    if talk.stand_in is not None:
        talk.stand_in.call(lambda aws: setattr(aws.settings.route53, "change_duration_s", 30.0))
    try:
        await zone.create(record(zone.at("a")))
        busy = await zone.create(record(zone.at("b")))
        if talk.stand_in is not None:
            talk.stand_in.call(lambda aws: setattr(aws.settings.route53, "rate_per_s", 0.01))
        answers = await asyncio.gather(*[refusal(zone.page(MaxItems="1")) for _ in range(9)])
    finally:
        if talk.stand_in is not None:
            talk.stand_in.call(lambda aws: setattr(aws.settings.route53, "rate_per_s", None))
            talk.stand_in.call(lambda aws: setattr(aws.settings.route53, "change_duration_s", 0.0))
    assert busy.startswith("PriorRequestNotComplete: ")
    assert sorted(answers) == [""] * 5 + ["Throttling: Rate exceeded"] * 4


@row(ROWS, "eight CREATEs of one name are all accepted")
async def m34_one_of_eight_creates_wins(talk: Talk) -> None:
    """The claim of a fence that is not there yet has one winner."""
    zone = await Zone.make(talk)
    answers = await asyncio.gather(*[zone.create(fence(zone, f"w{n}")) for n in range(8)])
    assert answers.count("") == 1
    assert len(await zone.held()) == 1


@row(ROWS, "DELETE looks at the journal before the batch")
async def m35_create_then_delete_in_one_batch(talk: Talk) -> None:
    """A batch may make a set and remove it."""
    zone = await Zone.make(talk)
    one = fence(zone, "1")
    assert await zone.send(("CREATE", one), ("DELETE", one)) == ""
    assert await zone.held() == []


@row(ROWS, "any number of values is accepted")
async def m36_a_set_has_400_values(talk: Talk) -> None:
    """450 are too many."""
    zone = await Zone.make(talk)
    many = [f"10.0.{n // 250}.{n % 250}" for n in range(450)]
    assert "more than 400 records" in await zone.create(record(zone.at("a"), "A", *many))


@row(ROWS, "the comment is dropped")
async def m37_a_comment_comes_back(talk: Talk) -> None:
    """With the batch's answer and with GetChange."""
    zone = await Zone.make(talk)
    info = await zone.submit(("CREATE", record(zone.at("a"))), comment="why <&> who")
    found = await talk.ask("route53", "get_change", Id=info["Id"])
    assert [info.get("Comment"), found["ChangeInfo"].get("Comment")] == ["why <&> who"] * 2


@row(ROWS, "a change of spelling is applied")
async def m38_an_equal_change_is_dropped_in_company(talk: Talk) -> None:
    """Accepted, and silently not made, when it shares its batch with others."""
    zone = await Zone.make(talk)
    await zone.create(record(zone.at("c"), "CNAME", "x.example.org"))
    again = record(zone.at("c"), "CNAME", "x.example.org.")
    assert await zone.upsert(again, record(zone.at("other"))) == ""
    assert values(await zone.held())[0] == "x.example.org"
