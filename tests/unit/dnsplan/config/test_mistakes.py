"""Each mistake in dns.yaml is said with its line, its key, what was found and what is allowed.

The mistakes and what is said of them stand in mistakes.txt, to be read by people: a group's
heading says where the text of a case is put, and the indented lines what is said of it. In
everything.yaml they stand together.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.dnsplan.config.texts import SOUND, loaded, said, with_name, with_pool, zone, zones

SCRIPT = Path(__file__).with_name("mistakes.txt")

# Where the text of a case is put, and the line that it has there.
PLACES: dict[str, tuple[Callable[[str], str], int]] = {
    "top": (lambda text: f"{SOUND}{text}\n", 14),
    "name": (with_name, 5),
    "key": (lambda text: with_name("{pool: web}", key=text.replace("\\", "\\\\")), 5),
    "record": (lambda text: with_name(f"{{records: [{text}]}}"), 5),
    "records": (lambda text: with_name(f"{{records: [{text}]}}"), 5),
    "pool": (with_pool, 5),
    "zone": (lambda text: zones(zone("a", "x.test", f"{text}, ")), 3),
    "label": (lambda text: zones(zone(text, "x.test")), 3),
    "file": (lambda text: text, 1),
}


def script() -> Iterator[tuple[str, str, list[str]]]:
    """Group, text and what is said, of each case of the script."""
    group = text = ""
    mistakes: list[str] = []
    for line in [*SCRIPT.read_text().splitlines(), ""]:
        if line.startswith("# "):
            group = line[2:].partition(":")[0]
        elif line.startswith("    "):
            mistakes.append(line.strip())
        elif line:
            text = line
        elif text:
            yield group, text, mistakes
            text, mistakes = "", []


@pytest.mark.parametrize(("group", "text", "mistakes"), list(script()))
def test_what_is_said(tmp_path: Path, group: str, text: str, mistakes: list[str]) -> None:
    """Exactly what the script says is said, at the line of the mistake."""
    place, line = PLACES[group]
    assert said(tmp_path, place(text)) == [f"dns.yaml:{line}: {one}" for one in mistakes]


def test_the_script_is_read() -> None:
    """The script holds cases of every group."""
    assert {group for group, _, mistakes in script() if mistakes} == set(PLACES)


def test_a_sound_config_has_no_mistakes(tmp_path: Path) -> None:
    """The sound text loads."""
    assert said(tmp_path, SOUND) == []


@pytest.mark.parametrize("record_type", ["NS", "DS"])
def test_the_apex_is_not_ours(tmp_path: Path, record_type: str) -> None:
    """NS and DS of the apex are the registrar's and Route 53's."""
    value = {"NS": "ns.example.net.", "DS": "1 8 2 " + "ab" * 32}[record_type]
    entry = f'{{records: [{{type: {record_type}, values: ["{value}"]}}]}}'
    key, what = "zones.shop.names.@.records[0].type", f"{record_type} at the zone's apex"
    expected = f"dns.yaml:5: {key}: {what}, which is never managed here; allowed: any other type"
    assert said(tmp_path, with_name(entry, key="@")) == [expected]


@pytest.mark.parametrize(
    "stated",
    ["{name: x}", "{}", "{name: x, region: us-east-1, arn: ARN}", "{arn: ARN, name: x}"],
)
def test_load_balancers(tmp_path: Path, stated: str) -> None:
    """A load balancer is found by name and Region, or by ARN alone."""
    arn = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/x/0a1b"
    stated = stated.replace("ARN", f'"{arn}"')
    rest = f"  edge: {{targets: [{{id: x, load_balancer: {stated}}}]}}\n"
    found = said(tmp_path, with_pool("{targets: [{id: a, address: 192.0.2.1}]}", rest=rest))
    assert len(found) == 1
    assert found[0].startswith("dns.yaml:6: pools.edge.targets[0].load_balancer: ")
    assert found[0].endswith("; allowed: name and region, or arn alone")


@pytest.mark.parametrize(("routing", "most"), [("multivalue", 100), ("simple", 400)])
def test_many_members(tmp_path: Path, routing: str, most: int) -> None:
    """A name and type has at most 100 members, and a simple one at most 400 values; a bigger pool
    has shards, whose aliases need the zone's id."""
    for count in (most, most + 1):
        targets = ", ".join(f"{{id: t{n}, address: 10.0.{n >> 8}.{n & 255}}}" for n in range(count))
        pools = f"  big: {{targets: [{targets}]}}\n"
        entry = f"{{pool: big, routing: {routing}}}"
        refusal = (
            f"dns.yaml:5: zones.shop.names.www.pool: a pool of {count} A targets;"
            f" allowed: at most {most} with {routing} routing; more where it can have shards:"
            " aliases to its shards name the hosted zone: state the zone's id"
        )
        found = said(tmp_path, with_name(entry, pools=pools))
        assert found == ([refusal] if count > most else [])
        assert said(tmp_path, with_name(entry, pools=pools, zone="id: Z0123456789,")) == []


def test_a_shards_name_is_kept(tmp_path: Path) -> None:
    """No config states one, so that each that a plan holds was made by the planner."""
    entry = "{records: [{type: A, values: [192.0.2.1]}]}"
    found = said(tmp_path, with_name(entry, key="_dnsplan-shard-3.www"))
    assert len(found) == 1
    assert "a name that is kept for shards of big pools; allowed: any other name" in found[0]


def test_all_at_once_and_in_order(tmp_path: Path) -> None:
    """Mistakes of every layer come together, by line; none hides another, and none is made up by
    the hole that another leaves."""
    text = SCRIPT.with_name("everything.yaml").read_text()
    lines = SCRIPT.with_name("everything.said").read_text().splitlines()
    assert said(tmp_path, text) == [f"dns.yaml:{line}" for line in lines]


def test_a_later_problem_knows_its_line(tmp_path: Path) -> None:
    """What shows only when running (a zone that is not there) is said at its place in the file."""
    problem = loaded(tmp_path).problem(("zones", "shop", "name"), "no such zone", "one that exists")
    assert (problem.line, problem.key) == (4, "zones.shop.name")


def test_a_name_is_as_long_as_it_is_planned(tmp_path: Path) -> None:
    """A letter outside ASCII is two escapes of four characters: so many no batch can carry."""
    half = "é" * 120
    values = ", ".join(f"""'"{n}{half}" "{half}"'""" for n in range(17))
    (found,) = said(tmp_path, with_name(f"{{records: [{{type: TXT, values: [{values}]}}]}}"))
    assert "characters of values at one name; allowed: at most 30960 fit in a change" in found


@pytest.mark.parametrize(
    ("hosts", "routing"), [(249, "simple"), (250, "simple"), (100, "weighted")]
)
def test_both_types_of_a_simple_name_change_in_one_batch(
    tmp_path: Path, hosts: int, routing: str
) -> None:
    """A host has both kinds of address, and each record set is written whole."""
    targets = ", ".join(
        f'{{id: a{n}, address: 10.0.0.{n}}}, {{id: b{n}, address: "2001:db8::{n}"}}'
        for n in range(1, hosts + 1)
    )
    entry = f"{{pool: big, routing: {routing}}}"
    found = said(tmp_path, with_name(entry, pools=f"  big: {{targets: [{targets}]}}\n"))
    if hosts < 250:
        assert found == []
    else:
        assert ["a pool of 500 A and AAAA targets with simple routing" in one for one in found] == [
            True
        ]
