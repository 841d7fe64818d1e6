"""How commands show what a record set answers."""

import pytest

from dnsplan.names import Name
from dnsplan.records import OtherPolicy, RecordSet
from runbooks.controls.words import answer_in_words


@pytest.mark.parametrize(
    ("kind", "values", "shown"),
    [
        ("A", ("192.0.2.1", "192.0.2.2"), "192.0.2.1 192.0.2.2 ttl 60"),
        ("TXT", ('"a" "b"',), '"a" "b" ttl 60'),
        ("TXT", ('"a b"', '"c"'), '"a b", "c" ttl 60'),
        ("TXT", ('"a"', '"b"'), '"a", "b" ttl 60'),
        (
            "MX",
            ("10 a.example.com.", "20 b.example.com."),
            "10 a.example.com., 20 b.example.com. ttl 60",
        ),
    ],
)
def test_two_values_never_look_like_one(kind: str, values: tuple[str, ...], shown: str) -> None:
    """Where a value may hold blanks, what parts them is no blank."""
    assert answer_in_words(RecordSet(Name("www.example.com."), kind, 60, values)) == shown


def test_a_traffic_policy_s_record_is_no_nothing() -> None:
    """It has no value in the zone, and answers all the same."""
    policy = OtherPolicy('{"TrafficPolicyInstanceId":"12131415-abac"}')
    one = RecordSet(Name("www.example.com."), "A", None, (), routing=policy)
    assert answer_in_words(one) == 'traffic policy {"TrafficPolicyInstanceId":"12131415-abac"}'
