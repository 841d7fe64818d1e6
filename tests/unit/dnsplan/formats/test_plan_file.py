"""A plan file edited by a person: every mistake with its path, what was found, what is allowed."""

import json

import pytest

from dnsplan.errors import ConfigError
from dnsplan.formats.planfile import read_plan_file
from dnsplan.names import Name
from dnsplan.records import AliasTarget, OtherPolicy, RecordSet, Weighted

HEADER = {
    "format": "dnsplan plan file 1",
    "label": "shop",
    "zone": "example.com.",
    "owner": "0" * 32,
    "generation": 7,
    "digest": "ab" * 32,
    "author": "planner use1-az1",
    "reason": "1 name changed",
}
A = {"name": "www.example.com.", "type": "A", "ttl_s": 60, "values": ["192.0.2.1"]}


def said(text: str) -> list[str]:
    """What is said of a text."""
    with pytest.raises(ConfigError) as caught:
        read_plan_file(text, "f.json")
    return [str(one).removeprefix("f.json: ") for one in caught.value.problems]


def said_of(*records: object) -> list[str]:
    """What is said of these records."""
    return said(json.dumps({**HEADER, "records": records}))


def test_what_people_may_write() -> None:
    """Names in any spelling, a wildcard as `*`, values in any order: the normal form is read."""
    target = {"name": "LB.Example.net", "zone_id": "Z2", "evaluate_target_health": False}
    policy = {"GeoProximityLocation": {"AWSRegion": "eu-west-1"}}
    records = [
        {"name": "*.Example.com", "type": "A", "ttl_s": 60, "values": ["192.0.2.2", "192.0.2.1"]},
        {"name": "b.example.com", "type": "A", "alias": target, "set_id": "x", "weight": 0},
        {"name": "c.example.com", "type": "A", "alias": target, "set_id": "x", "policy": policy},
    ]
    alias = AliasTarget("Z2", Name("lb.example.net."), False)
    nearby = OtherPolicy('{"GeoProximityLocation":{"AWSRegion":"eu-west-1"}}')
    read = read_plan_file(json.dumps({**HEADER, "zone": "Example.com", "records": records}), "f")
    assert read.zone == "example.com."
    assert read.content == (
        RecordSet(Name("\\052.example.com."), "A", 60, ("192.0.2.1", "192.0.2.2")),
        RecordSet(Name("b.example.com."), "A", None, (), "x", Weighted(0), alias),
        RecordSet(Name("c.example.com."), "A", None, (), "x", nearby, alias),
    )


KEYS = (
    "name, type, ttl_s, values, alias, set_id, weight, region, failover, geo, multivalue, policy,"
    " health_check_id"
)


@pytest.mark.parametrize(
    ("record", "mistakes"),
    [
        (7, [f"records[0]: 7; allowed: an object with {KEYS}"]),
        ({**A, "ttl": 5}, [f"records[0].ttl: an unknown key ttl; allowed: one of {KEYS}"]),
        (
            {"type": "A", "ttl_s": "60", "values": "192.0.2.1"},
            [
                'records[0].ttl_s: the text "60"; allowed: a whole number of seconds',
                'records[0].values: the text "192.0.2.1"; allowed: a list of texts',
                "records[0].name: nothing; allowed: this key is needed: text",
            ],
        ),
        ({**A, "values": [1]}, ["records[0].values[0]: 1; allowed: text"]),
        ({**A, "weight": True}, ["records[0].weight: true; allowed: a whole number from 0 to 255"]),
        (
            {**A, "name": "a..b"},
            ["records[0].name: 'a..b' has an empty label; allowed: a DNS name"],
        ),
        (
            {**A, "set_id": "x", "weight": 1, "region": "us-east-1"},
            ["records[0]: weight and region; allowed: one routing policy"],
        ),
        (
            {**A, "set_id": "x", "failover": "FIRST"},
            ['records[0].failover: the text "FIRST"; allowed: PRIMARY or SECONDARY'],
        ),
        (
            {**A, "set_id": "x", "geo": {"planet": "earth"}},
            [
                (
                    "records[0].geo.planet: an unknown key planet;"
                    " allowed: one of continent, country, subdivision"
                )
            ],
        ),
        (
            {**A, "set_id": "x\n", "weight": 1},
            ["records[0].set_id: a control character; allowed: text without"],
        ),
        (
            {**A, "set_id": "x", "policy": {"Bias": 1}},
            [
                (
                    "records[0]: a policy that no request can carry: Object contains unknown field"
                    " `Bias`; allowed: fields of Route 53's own"
                )
            ],
        ),
        (
            {**A, "set_id": "x", "policy": {}},
            ["records[0]: a policy without fields; allowed: fields of Route 53's own"],
        ),
        (
            {**A, "set_id": "\ud800", "weight": 1},
            ["half a character in the key set_id; allowed: whole ones"],
        ),
        (
            {**A, "type": "NEW", "values": ["\ud800"]},
            ["half a character in the key values; allowed: whole ones"],
        ),
        (
            {**A, "multivalue": False},
            ["records[0].multivalue: false; allowed: true, or no such key"],
        ),
        (
            {"name": "www.example.com.", "type": "A", "alias": {"name": "x..y"}},
            [
                "records[0].alias.zone_id: nothing; allowed: this key is needed: text",
                (
                    "records[0].alias.evaluate_target_health: nothing;"
                    " allowed: this key is needed: true or false"
                ),
                "records[0].alias.name: 'x..y' has an empty label; allowed: a DNS name",
            ],
        ),
        (
            {**A, "values": ["192.0.2.300"]},
            [
                (
                    "records[0]: '192.0.2.300' is no A value;"
                    " allowed: an IPv4 address for A, an IPv6 address for AAAA"
                )
            ],
        ),
        (
            {**A, "name": "www.example.net"},
            [
                (
                    "records[0]: www.example.net. is outside the zone example.com.;"
                    " allowed: a record set that Route 53 takes"
                )
            ],
        ),
    ],
)
def test_mistakes_in_a_record(record: object, mistakes: list[str]) -> None:
    """Each is said at its path, and all of an entry together."""
    assert said_of(record) == mistakes


def test_mistakes_between_records() -> None:
    """Doubles, and what cannot stand together, are said at the first of them."""
    cname = {**A, "type": "CNAME", "values": ["x.example.net."]}
    assert said_of(A, {**A, "values": ["192.0.2.2"]}) == [
        "records[1]: www.example.com. A again (first in records[0]); allowed: each record set once"
    ]
    assert said_of(cname, A) == [
        "records[0]: a CNAME cannot stand beside A; allowed: a record set that Route 53 takes"
    ]


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        ({"generation": "7"}, 'generation: the text "7"; allowed: a whole number from 0'),
        ({"generation": -1}, "generation: -1; allowed: a whole number from 0"),
        ({"label": None}, "label: nothing; allowed: text"),
        ({"zone": "a..b"}, "zone: 'a..b' has an empty label; allowed: a DNS name"),
        (
            {"format": "dnsplan plan file 2"},
            (
                'format: the text "dnsplan plan file 2";'
                ' allowed: "dnsplan plan file 1"; another release wrote another format'
            ),
        ),
        ({"records": []}, "records: an empty list; allowed: at least one; a zone is never emptied"),
        ({"records": {}}, f"records: an object; allowed: a list of objects with {KEYS}"),
        (
            {"nots": 1},
            (
                "nots: an unknown key nots; allowed: one of format, label, zone, owner, generation,"
                " digest, author, reason, key, signature, records"
            ),
        ),
    ],
)
def test_mistakes_in_the_header(change: dict[str, object], mistake: str) -> None:
    """A wrong header is said, key by key."""
    assert said(json.dumps({**HEADER, "records": [A], **change})) == [mistake]


def test_a_missing_key() -> None:
    """Every key of the header is needed."""
    tree = {key: value for key, value in HEADER.items() if key != "owner"}
    assert said(json.dumps({**tree, "records": [A]})) == [
        "owner: nothing; allowed: this key is needed: text"
    ]


def test_a_key_twice() -> None:
    """JSON would take the last of two silently; here it is a mistake."""
    text = json.dumps({**HEADER, "records": [A]}).replace('"ttl_s": 60', '"ttl_s": 60, "ttl_s": 5')
    assert said(text) == ["the key ttl_s 2 times in one object; allowed: each key once"]


def test_broken_json() -> None:
    """A slip of the pen is found by its line."""
    (line,) = said('{\n  "label": "shop",\n}')
    assert line.startswith("f.json:3: no JSON: ")
    assert line.endswith("; allowed: a plan file")
