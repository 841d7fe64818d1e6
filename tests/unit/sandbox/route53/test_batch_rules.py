"""What a change batch is: whole, ordered, bounded; and what a DELETE must state."""

from dataclasses import replace

import pytest

from sandbox.route53.model import Action, StoredRecordSet
from tests.unit.sandbox.route53.bench import Bench, record, text, weighted
from tests.unit.sandbox.route53.cases import rule

FENCE = text("_fence", "one")
NEXT = text("_fence", "two")


@rule("batch-atomic")
def test_a_batch_with_one_bad_change_leaves_nothing() -> None:
    """Changes before and after a refused one are not made."""
    bench = Bench()
    assert bench.create(record("one"), record("two.other.org."), record("three")) != ""
    assert bench.held() == []


@rule("batch-atomic")
def test_every_complaint_of_a_batch_is_listed() -> None:
    """A refusal names all that is wrong, in one bracket."""
    bench = Bench()
    bench.create(record("x"), record("y"))
    assert bench.create(record("x"), record("y")) == (
        "InvalidChangeBatch: [Tried to create resource record set [name='x.example.com.', type='A']"
        " but it already exists, Tried to create resource record set [name='y.example.com.',"
        " type='A'] but it already exists]"
    )


@rule("batch-in-order")
@pytest.mark.parametrize("matters", [True, False])
def test_order_within_a_batch(matters: bool) -> None:
    """A CNAME may follow the DELETE of its neighbour; before it, only if order means nothing."""
    bench = Bench(list_order_matters=matters)
    bench.create(record("x"))
    cname = record("x", "CNAME", values=("y.example.org.",))
    refusal = bench.send(("CREATE", cname), ("DELETE", record("x")))
    assert matters == ("conflicts with other records" in refusal)
    if matters:
        assert bench.send(("DELETE", record("x")), ("CREATE", cname)) == ""
    assert [cname] == bench.held()


@rule("elements-1000")
@pytest.mark.parametrize(
    ("action", "sets", "values", "refused"),
    [
        ("CREATE", 1000, 1, False),
        ("CREATE", 1001, 1, True),
        ("UPSERT", 500, 1, False),
        ("UPSERT", 501, 1, True),
        ("CREATE", 10, 100, False),
        ("CREATE", 11, 100, True),
    ],
)
def test_a_batch_has_at_most_1000_elements(
    action: str, sets: int, values: int, refused: bool
) -> None:
    """Values are counted, not sets; an UPSERT's count twice."""
    bench = Bench()
    made = [
        record(f"n{n}", values=tuple(f"10.{v}.{n // 250}.{n % 250}" for v in range(values)))
        for n in range(sets)
    ]
    answer = bench.create(*made) if action == "CREATE" else bench.upsert(*made)
    expected = "InvalidChangeBatch: [Number of records limit of 1000 exceeded.]" if refused else ""
    assert expected == answer


@rule("elements-1000")
def test_an_alias_is_one_element() -> None:
    """1,001 aliases do not fit; 1,000 do."""
    bench = Bench()
    bench.create(record("t"))
    aliases = [bench.alias(f"a{n}", "t") for n in range(1001)]
    assert (
        bench.create(*aliases) == "InvalidChangeBatch: [Number of records limit of 1000 exceeded.]"
    )
    assert bench.create(*aliases[:1000]) == ""


@rule("characters-32000")
def test_a_batch_has_at_most_32000_characters() -> None:
    """Quotes count; an UPSERT's characters count twice."""
    bench = Bench()
    made = [text(f"t{n}", "x" * 248) for n in range(129)]  # 250 characters each
    assert bench.create(*made) == "InvalidChangeBatch: [RDATA character limit of 32000 exceeded.]"
    assert (
        bench.upsert(*made[:65]) == "InvalidChangeBatch: [RDATA character limit of 32000 exceeded.]"
    )
    assert bench.upsert(*made[:64]) == ""
    assert bench.delete(*made[:64]) == ""
    assert bench.create(*made[:128]) == ""


@rule("set-twice")
@pytest.mark.parametrize(
    "actions",
    [
        ("CREATE", "CREATE"),
        ("UPSERT", "UPSERT"),
        ("DELETE", "UPSERT"),
        ("UPSERT", "DELETE"),
        ("DELETE", "DELETE"),
        ("DELETE", "CREATE", "DELETE"),
    ],
)
def test_a_set_is_changed_once_in_a_batch(actions: tuple[Action, ...]) -> None:
    """Only DELETE then CREATE (and CREATE then DELETE) may touch one set twice."""
    bench = Bench()
    bench.create(FENCE)
    answer = bench.send(*[(action, FENCE) for action in actions])
    assert "invalid set of changes for a resource record set 'TXT _fence.example.com.'" in answer
    assert bench.held() == [FENCE]


@rule("identical-delete-create")
@pytest.mark.parametrize("accepted", [True, False])
def test_identical_delete_and_create(accepted: bool) -> None:
    """DELETE X, CREATE X is accepted or not, by the switch; another content always is."""
    bench = Bench(identical_delete_create_accepted=accepted)
    bench.create(FENCE)
    assert accepted == (bench.send(("DELETE", FENCE), ("CREATE", FENCE)) == "")
    assert bench.send(("DELETE", FENCE), ("CREATE", NEXT)) == ""


@rule("create-then-delete")
@pytest.mark.parametrize("accepted", [True, False])
def test_create_then_delete(accepted: bool) -> None:
    """CREATE X, DELETE X leaves nothing where it is accepted."""
    bench = Bench(create_then_delete_accepted=accepted)
    assert accepted == (bench.send(("CREATE", FENCE), ("DELETE", FENCE)) == "")
    assert bench.held() == []


@rule("equal-dropped")
@pytest.mark.parametrize("dropped", [True, False])
def test_an_equal_change_is_silently_dropped_in_company(dropped: bool) -> None:
    """A change of spelling only is accepted; with other changes beside it, it is not made."""
    bench = Bench(equal_changes_dropped=dropped)
    plain = record("c", "CNAME", values=("x.example.org",))
    spelt = record("c", "CNAME", values=("X.example.org.",))
    bench.create(plain)
    assert bench.upsert(spelt, record("other")) == ""
    assert (plain.values if dropped else spelt.values) == bench.values("c", "CNAME")
    pair = replace(spelt, values=("x.EXAMPLE.org",))
    assert bench.send(("DELETE", spelt), ("CREATE", pair), ("UPSERT", record("more"))) == ""
    assert (plain.values if dropped else pair.values) == bench.values("c", "CNAME")


@rule("equal-dropped")
def test_an_equal_change_alone_is_made() -> None:
    """The same change of spelling, alone in its batch, is applied."""
    bench = Bench()
    bench.create(record("c", "CNAME", values=("x.example.org",)))
    assert bench.upsert(record("c", "CNAME", values=("X.example.org.",))) == ""
    assert bench.values("c", "CNAME") == ("X.example.org.",)


@rule("unknown-action")
def test_an_unknown_action_is_malformed() -> None:
    """Only CREATE, DELETE and UPSERT are actions."""
    bench = Bench()
    answer = bench.send(("REPLACE", record()))  # type: ignore[arg-type]  # what the test is about
    assert answer.startswith("InvalidInput: Invalid XML ; cvc-enumeration-valid: Value 'REPLACE'")
    assert bench.send().startswith("InvalidInput")


@rule("delete-not-found")
def test_delete_of_nothing() -> None:
    """The refusal says that the set was not found, and names it as Route 53 does."""
    bench = Bench()
    assert bench.delete(record()) == (
        "InvalidChangeBatch: [Tried to delete resource record set [name='www.example.com.',"
        " type='A'] but it was not found]"
    )
    assert "type='A', set-identifier='a] but it was not found" in bench.delete(weighted("a"))


@rule("delete-values", "delete-ttl", "delete-health-check", "delete-alias")
@pytest.mark.parametrize(
    "stated",
    [
        record(values=("192.0.2.2",)),
        record(values=("192.0.2.1", "192.0.2.2")),
        record(ttl=61),
        record(health_check_id="other"),
        record(health_check_id=None),
    ],
)
def test_delete_states_what_is_there(stated: StoredRecordSet) -> None:
    """Another value, one more, another TTL or health check: refused, and nothing is gone."""
    bench = Bench()
    bench.account.health_checks = {"check"}
    there = record(health_check_id="check")
    bench.create(there)
    if stated.health_check_id is None and stated != record():
        stated = replace(stated, health_check_id="check")
    assert bench.delete(stated) == (
        "InvalidChangeBatch: [Tried to delete resource record set [name='www.example.com.',"
        " type='A'] but the values provided do not match the current values]"
    )
    assert [there] == bench.held()
    assert bench.delete(there) == ""


@rule("delete-alias")
def test_delete_states_the_alias_target() -> None:
    """Another target of the same alias is refused."""
    bench = Bench()
    bench.create(record("t"), record("u"))
    bench.create(bench.alias("a", "t"))
    assert "do not match" in bench.delete(bench.alias("a", "u"))
    assert bench.delete(bench.alias("a", "t")) == ""


@rule("delete-value-order")
def test_delete_takes_values_in_any_order() -> None:
    """Values are a multiset."""
    bench = Bench()
    bench.create(record(values=("192.0.2.1", "192.0.2.2")))
    assert bench.delete(record(values=("192.0.2.2", "192.0.2.1"))) == ""


@rule("delete-routing")
@pytest.mark.parametrize("compared", [True, False])
def test_delete_and_the_weight(compared: bool) -> None:
    """Whether another weight is noticed is a switch; that a weight must be stated is not."""
    bench = Bench(delete_compares_routing_fields=compared)
    bench.create(weighted("a", 1))
    assert "SetIdentifier=a" in bench.delete(replace(weighted("a"), weight=None))
    assert compared == ("do not match" in bench.delete(weighted("a", 2)))


@rule("normal-form")
@pytest.mark.parametrize("normal", [True, False])
@pytest.mark.parametrize(
    ("kind", "there", "stated"),
    [
        ("CNAME", "x.example.org.", "X.Example.ORG"),
        ("MX", "10 mail.example.org.", "10  Mail.example.org"),
        ("AAAA", "2001:db8::1", "2001:DB8:0::1"),
        ("TXT", '"a" "b"', '"a"  "b"'),
        ("TXT", '"a\\042"', '"a\\""'),
        ("CAA", '0 issue "ca.example"', '0 ISSUE "ca.example"'),
    ],
)
def test_delete_reads_values(kind: str, there: str, stated: str, normal: bool) -> None:
    """Another spelling of the same value is the same value, unless the switch says otherwise."""
    bench = Bench(values_compared_in_normal_form=normal)
    bench.create(record("n", kind, values=(there,)))
    answer = bench.delete(record("n", kind, values=(stated,)))
    assert normal == (answer == "")
    assert bench.create(record("m", kind, values=(there,))) == ""
    assert bench.delete(record("m", kind, values=(there,))) == ""


@rule("normal-form")
def test_txt_keeps_its_case() -> None:
    """Text in capitals is another text."""
    bench = Bench()
    bench.create(FENCE)
    assert "do not match" in bench.delete(text("_fence", "ONE"))
    assert "do not match" in bench.delete(record("_fence", "TXT", values=('"o" "ne"',)))


@rule("alias-target-delete")
@pytest.mark.parametrize("allowed", [True, False])
def test_the_target_of_an_alias_can_go(allowed: bool) -> None:
    """Route 53 lets an alias dangle; under the other answer the target goes only after it."""
    bench = Bench(alias_target_delete_allowed=allowed)
    bench.create(record("t"))
    bench.create(bench.alias("a", "t"))
    assert allowed == (bench.delete(record("t")) == "")
    if not allowed:
        assert bench.delete(bench.alias("a", "t"), record("t")) == ""
