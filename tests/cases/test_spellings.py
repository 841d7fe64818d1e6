"""Values of the rarer types in every spelling: one text, read or refused before it is planned."""

import pytest

from dnsplan.errors import ConfigError
from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.records import RecordSet
from planner.rules.notes import Fate
from tests.cases.configs import records_config
from tests.cases.stages import House, Wire
from tests.cases.unchanged import listed_without_change, same

SPELLINGS = {
    "TLSA": ("3 1 1 " + "AB" * 32, "3 1 1 " + "ab" * 32),
    "DS": ("60485 8 2 " + "AB" * 32, "60485  8 2 " + "ab" * 32),
    "SSHFP": ("1 1 " + "AB" * 20, "1 1 " + "abab " * 10),
    "NAPTR": (
        '100 10 "S" "SIP+D2U" "" _sip._udp.example.net.',
        '100  10 S "SIP+D2U" "" _SIP._udp.Example.net',
    ),
    "SVCB": ('1 svc.example.net. alpn="h2" port="8443"', "1 SVC.example.net port=8443 alpn=h2"),
    "HTTPS": ('1 . alpn="h2" port="1"', '1 . port="1" alpn="h2"'),
}


def spelled(record_type: str, *spellings: str) -> str:
    """A config with values of one type beside the delegation that a DS needs."""
    listed = ", ".join(f"'{one}'" for one in spellings)
    ns = "{type: NS, values: [ns.example.net.]}, " if record_type == "DS" else ""
    return records_config(f"x: {{records: [{ns}{{type: {record_type}, values: [{listed}]}}]}}")


@pytest.mark.parametrize("record_type", SPELLINGS)
async def test_b45_hex_quotes_and_parameters_have_one_spelling(
    house: House, record_type: str
) -> None:
    """Fingerprints in either case, parameters in any order: nothing is planned or sent for them."""
    one, other = SPELLINGS[record_type]
    await same(house, spelled(record_type, one), spelled(record_type, other))


@pytest.mark.parametrize("record_type", SPELLINGS)
async def test_b79_two_spellings_in_one_set_are_one_mistake(house: House, record_type: str) -> None:
    """Whoever states a value twice is told once, before Route 53 refuses the batch."""
    with pytest.raises(ConfigError, match="the same value is stated twice") as caught:
        house.configure(spelled(record_type, *SPELLINGS[record_type]))
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("record_type", SPELLINGS)
async def test_b45_a_file_of_records_goes_through_the_same_form(
    house: House, record_type: str
) -> None:
    """A zone file's spelling of what the names stated is no change either."""
    one, other = SPELLINGS[record_type]
    ns = "x NS ns.example.net.\n" if record_type == "DS" else ""
    trailing = "" if other.endswith((".", '"')) or record_type != "NAPTR" else "."
    spelling = other.replace("SVC.example.net ", "SVC.example.net. ") + trailing
    (house.folder / "x.zone").write_text(f"$TTL 60\n{ns}x {record_type} {spelling}\n")
    shop = "{name: example.com, ttl_s: 60, records_from: [x.zone]}"
    read = f"azs: [az1, az2, az3]\nzones: {{shop: {shop}}}\n"
    await same(house, spelled(record_type, one), read)


@pytest.mark.parametrize("record_type", [kind for kind in SPELLINGS if kind != "DS"])
async def test_b45_other_spellings_in_the_zone_are_no_drift(wire: Wire, record_type: str) -> None:
    """What a stranger spelled otherwise is what we want: it is left as it stands."""
    one, other = SPELLINGS[record_type]
    name = parse_name("x.example.com")
    await wire.apply(normal_form(RecordSet(name, record_type, 60, (one,))))
    theirs = RecordSet(name, record_type, 60, (other,))
    wire.by_hand(("DELETE", wire.at("x.example.com")[0]))
    wire.by_hand(("CREATE", theirs))
    await listed_without_change(wire)
    assert wire.content() == {theirs}


@pytest.mark.parametrize(
    ("record_type", "value"),
    [
        *(("DS", "garbage"), ("TLSA", "nonsense here"), ("NAPTR", "1"), ("SVCB", "x")),
        *(("HTTPS", "hello world"), ("SSHFP", "-1 900 zz")),
    ],
)
def test_a_value_that_is_none_of_its_type_is_a_mistake(
    house: House, record_type: str, value: str
) -> None:
    """Garbage is said with the value and the type, and nothing is planned of it."""
    with pytest.raises(ConfigError, match=f"'{value}' is no {record_type} value"):
        house.configure(spelled(record_type, value))


def test_a_type_that_route53_never_takes_is_a_mistake(house: House) -> None:
    """LOC is a type, but not one of Route 53's: that is said, with the types that are."""
    with pytest.raises(ConfigError, match="type LOC, which Route 53 does not take; allowed: one"):
        house.configure(spelled("LOC", "51 30 12.748 N 0 7 39.611 W 0.00m"))


async def test_a_type_that_nobody_knows_passes_and_holds_up_nothing(house: House) -> None:
    """It is sent as stated, with a note; where Route 53 refuses it, the other names go on."""
    unknown = "x: {records: [{type: TYPE65280, values: ['a (b) ; c']}]}"
    known = "www: {records: [{type: A, values: [192.0.2.1]}]}"
    house.configure(records_config(f"{unknown}, {known}"))
    report = await house.turn()
    assert report.candidate is not None
    notes = {note.unit: note.fate for note in report.candidate.notes}
    assert notes == {(parse_name("x.example.com"), "TYPE65280"): Fate.UNKNOWN_TYPE}
    assert house.answers("www.example.com") == {"192.0.2.1"}
    assert (house.at("x.example.com"), (await house.fence()).held) == ((), 1)
