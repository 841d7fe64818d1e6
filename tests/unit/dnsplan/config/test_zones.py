"""Zones: names, ids and labels, and which zone a name belongs to."""

from pathlib import Path

import pytest

from tests.unit.dnsplan.config.texts import loaded, said, zone, zones


def no_id(line: int, label: str, kind: str, other: str) -> str:
    """What is said of a zone that its name alone does not find."""
    return (
        f"dns.yaml:{line}: zones.{label}: no id, with a {kind} zone x.test. in zones.{other} too;"
        " allowed: an id for each zone of one name"
    )


def test_one_name_twice_needs_ids(tmp_path: Path) -> None:
    """Two zones of one name and visibility are told apart by ids, each of them."""
    a, b = zone("a", "x.test"), zone("b", "X.test.")
    assert said(tmp_path, zones(a, b)) == [
        no_id(3, "a", "public", "b"),
        no_id(4, "b", "public", "a"),
    ]
    with_id = zone("a", "x.test", "id: Z1, ")
    assert said(tmp_path, zones(with_id, b)) == [no_id(4, "b", "public", "a")]
    private = [zone(label, "x.test", "private: true, ") for label in "ab"]
    assert said(tmp_path, zones(*private)) == [
        no_id(3, "a", "private", "b"),
        no_id(4, "b", "private", "a"),
    ]


def test_public_and_private_stand_side_by_side(tmp_path: Path) -> None:
    """A public and a private zone of one name, or two with ids, are no mistake."""
    assert said(tmp_path, zones(zone("a", "x.test"), zone("b", "x.test", "private: true, "))) == []
    both = [zone("a", "x.test", "id: Z1, "), zone("b", "x.test", "id: Z2, ")]
    assert said(tmp_path, zones(*both)) == []


def test_a_hosted_zone_has_one_label(tmp_path: Path) -> None:
    """The same id under two labels would have two planners' worth of plans."""
    both = zones(zone("a", "x.test", "id: Z1, "), zone("b", "y.test", "id: Z1, "))
    assert said(tmp_path, both) == [
        (
            "dns.yaml:4: zones.b.id: Z1 a second time (first in zones.a);"
            " allowed: each hosted zone under one label"
        )
    ]


DELEGATION = "{records: [{type: NS, values: [ns.example.net.]}]}"
ADDRESS = "{records: [{type: A, values: [192.0.2.1]}]}"


@pytest.mark.parametrize(
    ("key", "entry", "clean"),
    [
        ("sub", DELEGATION, True),
        ("sub", ADDRESS, False),
        ("a.sub", DELEGATION, False),
        ("notsub", ADDRESS, True),
    ],
)
def test_a_name_belongs_to_the_longest_zone(
    tmp_path: Path, key: str, entry: str, *, clean: bool
) -> None:
    """A parent states of a child zone of its visibility only the delegation."""
    parent = f"p: {{name: x.test, names: {{{key}: {entry}}}}}"
    found = said(tmp_path, zones(parent, zone("c", "sub.x.test")))
    shown = key if "." not in key else f'"{key}"'
    belongs = (
        f"dns.yaml:3: zones.p.names.{shown}: {key}.x.test., which belongs to the zone sub.x.test.;"
        " allowed: the name under the zone sub.x.test.; here only its NS and DS"
    )
    assert found == ([] if clean else [belongs])
    assert said(tmp_path, zones(parent, zone("c", "sub.x.test", "private: true, "))) == []


def test_long_texts_are_cut(tmp_path: Path) -> None:
    """A value of pages does not fill the terminal."""
    (line,) = said(tmp_path, zones(zone("a", "x.test", f"mode: {'x' * 500}, ")))
    assert len(line) < 150
    assert "..." in line


def test_a_pool_with_a_mistake_is_still_a_pool(tmp_path: Path) -> None:
    """A mistake inside a pool or zone is not said again wherever it is named."""
    text = zones("a: {name: x.test, names: {w: {pool: p}}}") + "pools: {p: {targets: 5}}\n"
    assert said(tmp_path, text) == ["dns.yaml:4: pools.p.targets: the number 5; allowed: a list"]


def test_azs_with_a_mistake_are_not_held_against_targets(tmp_path: Path) -> None:
    """While azs cannot be read, no target's az is called unknown."""
    text = (
        "azs: 5\nzones:\n  a: {name: x.test, names: {w: {pool: p}}}\n"
        "pools: {p: {targets: [{id: t, address: 192.0.2.1, az: use1-az1}]}}\n"
    )
    assert said(tmp_path, text) == ["dns.yaml:1: azs: the number 5; allowed: a list of 1 to 16"]


def test_zone_names_are_kept_as_written(tmp_path: Path) -> None:
    """The settings hold what the writer wrote; the contract folds it."""
    text = zones(zone("a", "X.Test"))
    assert loaded(tmp_path, text).settings.zones["a"].name == "X.Test"
