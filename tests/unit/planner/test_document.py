"""The JSON that names targets: taken whole or not at all, and as the published schema says."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.names import parse_name
from dnsplan.records import AliasTarget
from planner.rules.document import DOCUMENT_BYTES_MAX, listing_of, schema
from planner.rules.roll import Found, Listing

PUBLISHED = Path(__file__).parents[3] / "docs" / "targets.schema.json"


def said(*targets: dict[str, Any], **more: Any) -> Listing:
    """What a document with these targets says."""
    return listing_of(json.dumps({"targets": targets, **more}).encode())


def test_the_published_schema_is_the_one_in_use() -> None:
    """Who writes a source needs no other word; write it anew when the shape changes."""
    assert json.loads(PUBLISHED.read_text()) == schema()


def test_a_document_is_its_targets() -> None:
    """Addresses in canonical text, aliases with their zone, and what is left out as ever."""
    alias = {"name": "LB.example.net", "zone_id": "Z2", "evaluate_target_health": True}
    listing = said(
        {"id": "a", "address": "2001:DB8:0::1", "az": "use1-az1", "capacity": 0},
        {"id": "b", "alias": alias, "types": ["A", "AAAA"]},
    )
    to = AliasTarget("Z2", parse_name("lb.example.net."), evaluate_target_health=True)
    assert listing == Listing(
        (
            Found(
                id="a",
                address="2001:db8::1",
                alias=None,
                types=("AAAA",),
                capacity=0,
                az="use1-az1",
            ),
            Found(id="b", address=None, alias=to, types=("A", "AAAA"), capacity=100),
        )
    )
    assert listing.is_complete


def test_a_source_may_say_that_it_is_not_complete() -> None:
    """Then what it names counts, and what it lacks does not."""
    listing = said({"id": "a", "address": "192.0.2.1"}, complete=False)
    assert ([one.id for one in listing.targets], listing.is_complete) == (["a"], False)


A = {"id": "a", "address": "192.0.2.1"}


@pytest.mark.parametrize(
    ("targets", "problem"),
    [
        ([], "it names no target"),
        ([{"id": "a"}], "target a: exactly one of address and alias is needed"),
        ([A, {**A, "address": "192.0.2.2"}], "the id a stands twice"),
        ([A, {**A, "id": "b"}], "the answer 192.0.2.1 stands twice"),
        ([{**A, "address": "x"}], "'x' does not appear to be an IPv4 or IPv6 address"),
        ([{**A, "address": "0.0.0.0"}], "target a: no client can connect to 0.0.0.0"),
        (
            [{**A, "address": "::ffff:192.0.2.1"}],
            "target a: no client can connect to ::ffff:192.0.2.1",
        ),
        ([{**A, "types": ["A"]}], "target a: types beside an address, which says its type"),
        ([{"id": "a", "alias": {"name": "a..b", "zone_id": "Z2"}}], "'a..b' has an empty label"),
    ],
)
def test_what_contradicts_itself_is_not_taken(targets: list[Any], problem: str) -> None:
    """One bad target spoils the list: a list with a hole is not the truth."""
    assert said(*targets) == Listing((), problem)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b'{"targets": [{"id": "a", "address": "192.0.2.1"}',
        b'{"targets": [], "more": 1}',
        b'{"targets": [{"id": "a", "address": "192.0.2.1", "adress": "x"}]}',
        b'{"targets": [{"id": "-", "address": "192.0.2.1"}]}',
        b'{"targets": [{"id": "a\\n", "address": "192.0.2.1"}]}',
        b'{"targets": [{"id": "a", "address": "192.0.2.1", "az": "use1-az1\\n"}]}',
        b'{"targets": [{"id": "a", "alias": {"name": "x.net", "zone_id": "Z2\\n"}}]}',
        b'{"targets": [{"id": "a", "address": "192.0.2.1", "capacity": "9"}]}',
        b'{"targets": [{"id": "\xff", "address": "192.0.2.1"}]}',
    ],
)
def test_what_is_not_of_the_schema_is_not_taken(text: bytes) -> None:
    """Half a file, another shape and a mistyped key all leave what was known."""
    listing = listing_of(text)
    assert listing.targets == ()
    assert (listing.problem or "").startswith("not as docs/targets.schema.json says: ")


def test_too_much_text_is_not_taken() -> None:
    """It is told by its size alone."""
    assert listing_of(b" " * (DOCUMENT_BYTES_MAX + 1)).problem == "more than 4194304 bytes"


@given(st.binary(max_size=200))
def test_no_text_breaks_it(text: bytes) -> None:
    """Whatever a source says is a listing, and what is no JSON is never a complete one."""
    assert not listing_of(text).is_complete


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["targets", "id", "address", "complete", "x"]), inner)
        ),
        max_leaves=12,
    )
)
def test_no_json_breaks_it(value: Any) -> None:
    """Nor does JSON of any other shape."""
    listing = listing_of(json.dumps(value).encode())
    assert (listing.problem is None) == listing.is_complete
