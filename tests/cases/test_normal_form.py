"""One form for names and values: what Route 53 takes for the same is never planned as a change."""

import pytest
from msgspec import structs

from dnsplan.diff import diff
from dnsplan.errors import ConfigError
from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.plan import Generation
from dnsplan.records import AliasTarget, RecordSet, Weighted
from enactor.rules.outcomes import InSync
from sandbox.aws.faults import LoseReply, Where
from tests.cases.configs import records_config
from tests.cases.stages import CHANGE, House, Wire
from tests.cases.unchanged import listed_without_change, same
from tests.fakes.world import a, cname

WWW = "www.example.com"


def stated(record: str, *, key: str = "www") -> str:
    """A config whose one name states one record."""
    return records_config(f"'{key}': {{records: [{{{record}}}]}}")


def values(house: House, name: str = WWW) -> tuple[str, ...]:
    """The values of the one set at a name."""
    (only,) = house.at(name)
    return only.values


@pytest.mark.parametrize("wishes", ["one.example.net", "ONE.example.NET.", "one.example.net."])
async def test_b45_a_change_that_route53_would_drop_is_never_planned(
    house: House, wishes: str
) -> None:
    """A last dot or capitals more in a CNAME's value are no change, beside others or alone."""

    def both(value: str) -> str:
        record = f"{{records: [{{type: CNAME, values: [{value}]}}]}}"
        return records_config(f"www: {record}, api: {record}")

    await same(house, both("one.example.net."), both(wishes))


async def test_b45_what_a_stranger_wrote_in_other_words_is_no_change(wire: Wire) -> None:
    """A listing that means the same is the same: no batch for capitals, quotes or zeros."""
    form = (
        ("CNAME", "one.example.net.", "ONE.Example.net"),
        ("AAAA", "2001:db8::1", "2001:DB8:0:0::1"),
        ("MX", "10 one.example.net.", "10 ONE.example.net"),
        ("TXT", '"a b"', '"a\\040b"'),
    )
    ours, theirs = [], []
    for kind, normal, other in form:
        name = parse_name(f"{kind.lower()}.example.com")
        ours.append(RecordSet(name, kind, 60, (normal,)))
        theirs.append(RecordSet(name, kind, 60, (other,)))
    await wire.apply(*ours)
    for old, new in zip(ours, theirs, strict=True):
        wire.by_hand(("DELETE", old))
        wire.by_hand(("CREATE", new))
    await listed_without_change(wire)
    assert wire.content() == set(theirs)


async def test_b45_a_fence_never_normalises_to_the_one_before(wire: Wire) -> None:
    """Two fences of one position differ in their nonce, so a swap of them is never dropped."""
    assert wire.aws.settings.route53.switches.equal_changes_dropped
    await wire.publish(a(WWW, "192.0.2.1"))
    wire.aws.faults.arm(LoseReply(), Where(operation=CHANGE))
    cycle = wire.az()
    await wire.enact(cycle)
    first = await wire.fence()
    await wire.enact_and_settle(cycle)
    second = await wire.fence()
    assert first.token == second.token
    assert first.nonce.lower() != second.nonce.lower()


async def test_b58_fields_that_a_kind_cannot_hold_are_not_compared(house: House) -> None:
    """A weighted CNAME with a health check is planned once and then never again."""
    house.route53.health_checks = frozenset({"hc-1"})
    one = "type: CNAME, values: [one.example.net.], set_id: a, weight: 1, health_check_id: hc-1"
    await same(house, stated(one), stated(one))


async def test_b66_capitals_in_a_name_block_nothing(house: House) -> None:
    """A name is folded before it is compared and before it is sent."""
    one = "type: A, values: [192.0.2.1]"
    await same(house, stated(one, key="WwW"), stated(one, key="www"), stated(one, key="WWW"))
    assert house.answers(WWW) == {"192.0.2.1"}
    house.configure(stated("type: A, values: [192.0.2.2]", key="WWW"))
    await house.turn()
    assert (house.answers(WWW), house.refusals()) == ({"192.0.2.2"}, 0)


async def test_b67_capitals_in_an_alias_target_are_no_change(house: House) -> None:
    """The name of a load balancer is folded like any other."""
    form = "type: A, alias: {{name: {}, zone_id: Z35SXDOTRQ7X7K}}"
    lower, mixed = "lb-1.us-east-1.elb.amazonaws.com", "LB-1.us-east-1.ELB.amazonaws.com."
    await same(house, stated(form.format(mixed)), stated(form.format(lower)))


async def test_b67_capitals_that_a_stranger_wrote_are_no_drift(wire: Wire) -> None:
    """An alias made elsewhere with capitals is the alias that we state."""
    to = AliasTarget("Z35SXDOTRQ7X7K", parse_name("lb-1.us-east-1.elb.amazonaws.com"), False)
    ours = RecordSet(parse_name(WWW), "A", None, (), "a", Weighted(1), to)
    await wire.apply(ours, a("b.example.com", "192.0.2.9"))
    capitals = structs.replace(to, name=type(to.name)("LB-1.us-east-1.ELB.amazonaws.com."))
    wire.by_hand(("UPSERT", structs.replace(ours, alias=capitals)))
    await listed_without_change(wire)


@pytest.mark.parametrize("value", ["ONE.Example.Net.", "one.example.net"])
@pytest.mark.parametrize("form", ["type: CNAME, values: [{}]", 'type: MX, values: ["10 {}"]'])
async def test_b68_names_inside_values_are_folded(house: House, form: str, value: str) -> None:
    """Values that are names are compared as names."""
    await same(house, stated(form.format("one.example.net.")), stated(form.format(value)))


def test_b68_a_text_is_not_folded() -> None:
    """Capitals in a TXT mean something."""
    upper, lower = (RecordSet(parse_name(WWW), "TXT", 60, (f'"{text}"',)) for text in ("Ab", "ab"))
    assert cname(WWW, "ONE.net.") == cname(WWW, "one.net.")
    assert diff([upper], [normal_form(lower)]) != ()


async def test_b69_a_wildcard_and_every_other_escape_is_read_back_as_it_was_written(
    wire: Wire,
) -> None:
    """Listings write `*` as an octal escape, and all but a few characters: none looks changed."""
    odd = ["*", "\\052x", "a\\100b", "a\\040b", "a\\057b", "\\377", "_srv._tcp"]
    names = [a(f"{label}.example.com", "192.0.2.1") for label in odd]
    await wire.apply(*names)
    assert wire.content() == set(names)
    await listed_without_change(wire)
    cycle = wire.az()
    await wire.enact_and_settle(cycle)
    assert await wire.enact(cycle) == InSync(Generation(1))


DKIM = "v=DKIM1; k=rsa; p=" + "MIIBIjANBgkqhkiG9w0BAQEFAAOC/+" * 13


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(DKIM, id="a key of 408 characters"),
        pytest.param("x" * 253 + ";;" + "y" * 10, id="semicolons at the cut"),
        pytest.param("x" * 254 + '"' + "y" * 10, id="a quote at the cut"),
        pytest.param("x" * 254 + "\\" + "y" * 10, id="a backslash at the cut"),
    ],
)
async def test_b72_a_long_text_is_cut_by_bytes_and_escaped(house: House, raw: str) -> None:
    """Strings of at most 255 bytes, each in quotes, which together are the text as written."""
    yaml = raw.replace("\\", "\\\\").replace('"', '\\"')
    await same(house, stated(f'type: TXT, values: ["{yaml}"]'))
    (value,) = values(house)
    strings = value[1:-1].split('" "')
    plain = [one.replace('\\"', '"').replace("\\\\", "\\") for one in strings]
    assert "".join(plain) == raw
    assert max(map(len, plain)) <= 255


async def test_b74_a_text_of_several_strings_is_read_as_dns_reads_it(house: House) -> None:
    """Two strings in one value are two strings: planned once, found equal in a listing."""
    value = f'"{"x" * 200}" "{"y" * 100}"'  # joined, they would be cut after 255
    await same(house, stated(f"type: TXT, values: ['{value}']"))
    assert values(house) == (value,)


async def test_b75_the_quotes_do_not_count(house: House) -> None:
    """255 characters between two quotes are one string."""
    value = f'"{"x" * 255}"'
    await same(house, stated(f"type: TXT, values: ['{value}']"))
    assert values(house) == (value,)


async def test_b76_a_text_may_be_written_without_quotes(house: House) -> None:
    """Route 53 wants quotes, so they are put."""
    await same(
        house, stated("type: TXT, values: [test]"), stated("type: TXT, values: ['\"test\"']")
    )
    assert values(house) == ('"test"',)


async def test_b77_a_letter_outside_ascii_is_written_in_octal(house: House) -> None:
    """Bytes, not characters, and the escapes that DNS knows."""
    await same(house, stated("type: TXT, values: [Größe]"))
    assert values(house) == ('"Gr\\303\\266\\303\\237e"',)


async def test_b79_a_value_stated_twice_is_said_and_refuses_no_batch(house: House) -> None:
    """Two spellings of one address are one value; whoever states both is told."""
    with pytest.raises(ConfigError, match="the same value is stated twice"):
        house.configure(stated('type: AAAA, values: ["2001:db8::1", "2001:DB8:0::1"]'))
    targets = '{id: a, address: "2001:db8::1"}, {id: b, address: "2001:db8:0::1"}'
    with pytest.raises(ConfigError, match="each address once in a pool"):
        house.configure(
            records_config("www: {pool: web}", more=f"pools: {{web: {{targets: [{targets}]}}}}\n")
        )


async def test_b84_newer_types_pass(house: House) -> None:
    """Types that came in October 2024 are stated, applied and found equal."""
    await same(house, stated("type: HTTPS, values: ['1 . alpn=\"h3,h2\"']"))
    house.configure(stated("type: TLSA, values: ['3 1 1 " + "0b" * 32 + "']", key="_443._tcp"))
    await house.turn()
    assert [one.type for one in house.at("_443._tcp.example.com")] == ["TLSA"]


async def test_b35_more_values_than_a_set_holds_are_a_mistake(house: House) -> None:
    """401 addresses are refused with both numbers; none is cut off in silence."""
    many = ", ".join(f"10.0.{n // 250}.{n % 250}" for n in range(401))
    with pytest.raises(ConfigError, match="401 values; allowed: at most 400"):
        house.configure(stated(f"type: A, values: [{many}]"))
