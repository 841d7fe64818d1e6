"""Other tools' forms: what is written reads as the same record sets, and what is not is named."""

import json
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import dns.rdatatype
import dns.zone
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.errors import ConfigError, Problem
from dnsplan.formats import Unsaid, bind, octodns
from dnsplan.formats.planfile import PlanFile, plan_file, read_plan_file, write_plan_file
from dnsplan.names import Name, parse_name
from dnsplan.normal import normal_form
from dnsplan.plan import Plan, sorted_content
from dnsplan.records import AliasTarget, RecordSet, Weighted, by_key, key_of
from dnsplan.runtime.config import desired_static, load
from dnsplan.text import quote, unquote
from dnsplan.validation import name_problems, record_problems
from tests.properties.drawn import ZONE, addresses, contents, plans, strings

hosts = st.sampled_from(
    ["mail.example.net.", "\\052.x.", "a\\056b.example.com.", "xn--bcher-kva.y."]
)
numbers = st.integers(0, 65_535)
VALUES: dict[str, st.SearchStrategy[str]] = {
    "A": addresses,
    "AAAA": st.ip_addresses(v=6).map(str),
    "CAA": st.builds(
        lambda flags, text: f"{flags} issue {quote((text,))}",
        st.integers(0, 255),
        st.binary(min_size=1, max_size=60),
    ),
    "CNAME": hosts,
    "DS": st.binary(min_size=32, max_size=32).map(lambda digest: f"1 8 2 {digest.hex()}"),
    "HTTPS": st.sampled_from(['1 . alpn="h2"', "0 svc.example.net."]),
    "MX": st.builds("{} {}".format, numbers, hosts),
    "NAPTR": st.sampled_from(['1 2 "U" "E2U+sip" "!^.*$!sip:x@y!" .', '1 2 "" "" "" x.y.']),
    "NS": hosts,
    "PTR": hosts,
    "SRV": st.builds("{} {} {} {}".format, numbers, numbers, numbers, hosts),
    "TXT": strings.map(quote)
    | st.text("a;\\\"' {}", max_size=300).map(lambda text: quote((text.encode(),))),
}
owners = st.sampled_from(
    [parse_name(f"{one}.example.com") for one in ("*", "a", "a10", "a2", "_x._tcp", "b\\057c", "é")]
)


@st.composite
def simple_sets(draw: st.DrawFn) -> RecordSet:
    """A record set of name, type, TTL and values, as Route 53 would take it."""
    record_type = draw(st.sampled_from(sorted(VALUES)))
    most = 1 if record_type == "CNAME" else 3
    values = tuple(draw(st.lists(VALUES[record_type], min_size=1, max_size=most)))
    return normal_form(
        RecordSet(draw(owners), record_type, draw(st.integers(0, 2**31 - 1)), values)
    )


def together(drawn: Iterable[RecordSet]) -> tuple[RecordSet, ...]:
    """Those that can stand in one zone together."""
    kept: dict[Name, list[RecordSet]] = {}
    for one in by_key(drawn).values():
        beside = kept.setdefault(one.name, [])
        if not record_problems(one, ZONE) and not name_problems([*beside, one]):
            beside.append(one)
    return sorted_content(tuple(one for sets in kept.values() for one in sets))


zones = st.lists(simple_sets(), max_size=10).map(together)


def read_again(text: str, file: str) -> tuple[RecordSet, ...]:
    """What our own config reads from a file of this text."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / file).write_text(text)
        config = Path(folder) / "dns.yaml"
        config.write_text(
            f"azs: [a]\nzones:\n  z:\n    {{name: example.com, id: Z1, records_from: {file}, names:"
            " {keep: {records: [{type: A, values: [192.0.2.1]}]}}}\n"
        )
        read = desired_static(load(config, {}).settings.zones["z"])
    return tuple(one for one in read if one.name != "keep.example.com.")


def of(unsaid: Iterable[Unsaid]) -> set[tuple[str, str]]:
    """Names and types that were left out."""
    return {(one.name, one.type) for one in unsaid}


@given(zones)
def test_bind_round_trip(content: tuple[RecordSet, ...]) -> None:
    """Our zone file, read by our reader, gives the same record sets; nothing simple is left out."""
    written = bind.zone_text(ZONE, content)
    assert written.unsaid == ()
    assert read_again(written.text, "z.db") == content


@given(zones)
def test_dnspython_reads_our_zone_files(content: tuple[RecordSet, ...]) -> None:
    """dnspython on its own finds the same names, types, TTLs and values."""
    text = bind.zone_text(ZONE, content).text
    zone = dns.zone.from_text(text, origin="example.com.", relativize=False, check_origin=False)
    found = [
        normal_form(
            RecordSet(
                Name(bind.route53_name(name)),
                dns.rdatatype.to_text(rdataset.rdtype),
                rdataset.ttl,
                tuple(map(bind.route53_value, rdataset)),
            )
        )
        for name, rdataset in zone.iterate_rdatasets()
    ]
    assert sorted_content(tuple(found)) == content


def joined(one: RecordSet) -> RecordSet:
    """The record set with each text in one piece, as octoDNS thinks of it."""
    if one.type != "TXT":
        return one
    values = tuple(sorted({quote((b"".join(unquote(value)),)) for value in one.values}))
    return RecordSet(one.name, one.type, one.ttl_s, values)


@given(zones)
def test_octodns_round_trip(content: tuple[RecordSet, ...]) -> None:
    """Our octoDNS YAML, read by our reader, gives what it says it holds."""
    written = octodns.zone_text(octodns.Place(ZONE, "Z1"), content)
    left_out = of(written.unsaid)
    said = tuple(joined(one) for one in content if (one.name, one.type) not in left_out)
    read = read_again(written.text, "z.yaml") if said else ()
    assert tuple(map(joined, read)) == said
    plain = {"A", "AAAA", "CNAME", "DS", "MX", "NS", "PTR", "SRV"}
    assert [one for one in written.unsaid if one.type in plain] == []


@given(st.text("a10.-", max_size=6), numbers, numbers)
def test_keys_are_in_octodns_order(around: str, one: int, other: int) -> None:
    """Digits count as numbers: a2 stands before a10, whatever stands around them."""
    first, second = (octodns.natural_order(f"{around}a{n}.{around}") for n in (one, other))
    assert (first < second) == (one < other)


@given(contents)
def test_nothing_is_dropped_silently(content: tuple[RecordSet, ...]) -> None:
    """Every record set of any form is in the text or named as left out, and never both."""
    for write in (
        partial(bind.zone_text, ZONE),
        partial(octodns.zone_text, octodns.Place(ZONE, "Z1")),
    ):
        left_out = {(one.name, one.type, one.set_id or "") for one in write(content).unsaid}
        said = {key_of(one) for one in content if write((one,)).text != write(()).text}
        assert said ^ left_out == {key_of(one) for one in content}
        simple = {
            key_of(one) for one in content if one.routing is None and one.health_check_id is None
        }
        assert said <= simple


def test_aliases_for_octodns() -> None:
    """octoDNS says an alias to an AWS service or into the zone itself, and no other."""

    def alias(name: str, target: str, zone_id: str) -> RecordSet:
        to = AliasTarget(zone_id, parse_name(target), True)
        return RecordSet(parse_name(name), "A", None, (), alias=to)

    content = (
        alias("a.example.com", "x.eu-west-1.elb.amazonaws.com", "Z3"),
        alias("b.example.com", "example.com", "Z1"),
        alias("c.example.com", "www.example.com", "Z2"),
        alias("d.example.com", "www.example.net", "Z1"),
    )
    written = octodns.zone_text(octodns.Place(ZONE, "Z1"), content)
    assert of(written.unsaid) == {("c.example.com.", "A"), ("d.example.com.", "A")}
    assert read_again(written.text, "z.yaml") == content[:2]


@given(plans(contents=st.lists(simple_sets(), min_size=1, max_size=8).map(together)))
def test_plan_files_round_trip(plan: Plan) -> None:
    """What a plan file says is what was written, and the same text again."""
    stated = plan_file(plan, "ab" * 32)
    if not plan.content:
        return
    text = write_plan_file(stated)
    assert read_plan_file(text, "f.json") == stated
    assert write_plan_file(read_plan_file(text, "f.json")) == text
    assert list(json.loads(text))[-1] == "records"


def read_or_problems(text: str) -> PlanFile | tuple[Problem, ...]:
    """What a plan file says, or what is wrong with it."""
    try:
        return read_plan_file(text, "f.json")
    except ConfigError as error:
        return error.problems


@given(plans())
def test_any_plan_file_is_read_or_refused(plan: Plan) -> None:
    """A file of any content is read whole, or refused for reasons that Route 53 would have."""
    stated = plan_file(plan, "ab" * 32)
    read = read_or_problems(write_plan_file(stated))
    if isinstance(read, PlanFile):
        assert read == stated
        return
    sets = {
        one.name: [other for other in plan.content if other.name == one.name]
        for one in plan.content
    }
    alone = [one for one in plan.content if record_problems(one, ZONE)]
    assert alone or any(map(name_problems, sets.values())) or not plan.content
    assert all(one.key.startswith("records") for one in read)


@given(st.text())
def test_any_text_is_no_plan_file(text: str) -> None:
    """Any text is refused in words, never with a traceback."""
    read = read_or_problems(text)
    assert isinstance(read, tuple)
    assert {one.file for one in read} == {"f.json"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "type", "values", "alias", "geo", "x"]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["format", "zone", "records", "label"]), json_values))
def test_any_json_is_refused(tree: dict[str, object]) -> None:
    """JSON of any other shape is refused with what was found and what is allowed."""
    read = read_or_problems(json.dumps(tree))
    assert isinstance(read, tuple)
    assert all(one.found and one.allowed for one in read)


def test_weights_go_through_a_plan_file() -> None:
    """A plan file keeps what the other forms cannot say."""
    one = RecordSet(parse_name("w.example.com"), "A", 60, ("192.0.2.1",), "x", Weighted(0))
    assert bind.zone_text(ZONE, (one,)).unsaid != ()
    assert octodns.zone_text(octodns.Place(ZONE, None), (one,)).unsaid != ()


@pytest.mark.parametrize("record_type", ["HTTPS", "SVCB"])
def test_a_service_s_name_is_escaped_in_decimal_too(record_type: str) -> None:
    """What is octal to Route 53 is another byte to a zone file."""
    value = r'1 a\040b.example.net. alpn="h2"'
    text = bind.zone_text(ZONE, (RecordSet(ZONE, record_type, 60, (value,)),)).text
    assert rf'{record_type} 1 a\032b.example.net. alpn="h2"' in text
