"""Change batches: within Route 53's limits, whole names, the fence pair first, aliases last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.diff import NameChange
from dnsplan.errors import BrokenInvariant
from dnsplan.fence import FenceRecord, SeenFence, to_record_set
from dnsplan.names import Name, parse_name
from dnsplan.plan import Digest, Generation
from dnsplan.records import AliasTarget, RecordSet, characters_of, elements_of
from enactor.rules import packing
from enactor.rules.packing import (
    CHARACTERS_MAX,
    ELEMENTS_MAX,
    Change,
    batches_min,
    build,
    pack,
    size_of,
)
from tests.fakes.world import a, cname

ZONE = parse_name("example.com")


def fence(generation: int, step: int = 1, steps: int = 1, nonce: str = "aa") -> FenceRecord:
    """A fence of one owner."""
    return FenceRecord(
        generation=Generation(generation),
        step=step,
        steps=steps,
        base=Generation(0),
        held=0,
        owner="o" * 32,
        writer="az1",
        nonce=nonce,
        digest=Digest("d" * 64),
    )


def seen(record: FenceRecord) -> SeenFence:
    """The fence as a listing shows it."""
    return SeenFence(record, to_record_set(record, ZONE))


def alias(name: str, target: str) -> RecordSet:
    """An alias in the zone."""
    return RecordSet(
        parse_name(name), "A", None, (), alias=AliasTarget("Z1", parse_name(target), False)
    )


def new(record_set: RecordSet) -> NameChange:
    """A name that comes."""
    return NameChange(record_set.name, (), (record_set,))


def never(_key: object) -> bool:
    """Nothing was retired."""
    return False


def no_other(_: Name) -> tuple[RecordSet, ...]:
    """All that a zone holds changes."""
    return ()


def test_ten_thousand_single_values_fit_the_minimum() -> None:
    """The fence pair costs two elements, so 998 single values fit a batch."""
    changes = [new(a(f"h{n}.example.com", "192.0.2.1")) for n in range(10_000)]
    packed = pack(changes, ZONE, no_other)
    assert len(packed.groups) == batches_min(changes) == 11


def test_delete_and_create_count_both() -> None:
    """A changed set of two values costs four elements."""
    before, after = (
        a("x.example.com", "192.0.2.1", "192.0.2.2"),
        a("x.example.com", "192.0.2.3", "192.0.2.4"),
    )
    assert size_of(NameChange(before.name, (before,), (after,))) == (4, 36)


sizes = st.lists(st.integers(1, 400), min_size=1, max_size=60)


@given(sizes)
def test_every_name_is_packed_once_and_every_batch_is_within_the_limits(counts: list[int]) -> None:
    """No change is lost, split or doubled, and no batch is over either limit."""
    changes = [
        new(a(f"h{n:03d}.example.com", *(f"10.{n}.{v // 250}.{v % 250}" for v in range(count))))
        for n, count in enumerate(counts)
    ]
    packed = pack(changes, ZONE, no_other)
    sent = [change for group in packed.groups for change in group]
    assert sorted(sent, key=lambda c: c.name) == changes
    for group in packed.groups:
        batch = build(seen(fence(1)), fence(2, nonce="bb"), group, zone=ZONE, may_end=never)
        assert sum(elements_of(c.record_set) for c in batch.changes) <= ELEMENTS_MAX
        assert sum(characters_of(c.record_set) for c in batch.changes) <= CHARACTERS_MAX


@given(sizes)
def test_packing_is_deterministic_and_never_far_from_the_minimum(counts: list[int]) -> None:
    """The same changes give the same batches, at most one half-empty batch more than needed."""
    changes = [
        new(a(f"h{n:03d}.example.com", *(f"10.{n}.{v // 250}.{v % 250}" for v in range(count))))
        for n, count in enumerate(counts)
    ]
    packed = pack(changes, ZONE, no_other)
    assert packed == pack(changes, ZONE, no_other)
    assert len(packed.groups) <= 2 * batches_min(changes)


def test_characters_bind_before_elements_for_long_values() -> None:
    """Texts of 255 characters: some 120 fill a batch."""
    texts = [
        RecordSet(parse_name(f"t{n}.example.com"), "TXT", 60, ('"' + "x" * 255 + '"',))
        for n in range(300)
    ]
    packed = pack([new(one) for one in texts], ZONE, no_other)
    assert [len(group) for group in packed.groups] == [120, 120, 60]


def test_a_name_too_big_for_any_batch_is_set_aside() -> None:
    """B34: it is returned and named, not cut and not dropped."""
    texts = tuple(
        RecordSet(
            parse_name("t.example.com"),
            "TXT",
            60,
            tuple(f'"{n:03d}{"x" * 240}"' for n in range(200)),
        )
        for _ in range(1)
    )
    change = NameChange(texts[0].name, (), texts)
    packed = pack([change, new(a("b.example.com", "192.0.2.1"))], ZONE, no_other)
    assert packed.oversized == (change,)
    assert len(packed.groups) == 1


def test_order_inside_a_batch() -> None:
    """Fence pair, deletes, plain creates, then aliases behind their targets, however deep."""
    old = a("gone.example.com", "192.0.2.9")
    group = (
        new(alias("a1.example.com", "z2.example.com")),
        NameChange(old.name, (old,), (a("gone.example.com", "192.0.2.8"),)),
        new(a("zz.example.com", "192.0.2.1")),
        new(alias("z2.example.com", "zz.example.com")),
    )
    batch = build(seen(fence(1)), fence(2, nonce="bb"), group, zone=ZONE, may_end=never)
    shown = [(c.action, str(c.record_set.name).split(".")[0]) for c in batch.changes]
    assert shown == [
        ("DELETE", "_dnsplan"),
        ("CREATE", "_dnsplan"),
        ("DELETE", "gone"),
        ("CREATE", "gone"),
        ("CREATE", "zz"),
        ("CREATE", "z2"),
        ("CREATE", "a1"),
    ]


def test_aliases_go_before_what_they_lead_to() -> None:
    """Also where that is an alias itself, whatever the names: Route 53 may refuse it otherwise."""
    stands = {
        "m": a("m.example.com", "192.0.2.1"),
        "a": alias("a.example.com", "m.example.com"),
        "b": alias("b.example.com", "a.example.com"),
        "c": alias("c.example.com", "b.example.com"),
    }
    changes = [NameChange(one.name, (one,), (a(one.name, "192.0.2.9"),)) for one in stands.values()]
    before = seen(fence(1))
    batch = build(before, fence(2, nonce="bb"), changes, zone=ZONE, may_end=never)
    gone = [one.record_set.name[0] for one in batch.changes[2:] if one.action == "DELETE"]
    assert gone == ["c", "b", "a", "m"]


def test_aliases_never_travel_before_their_targets() -> None:
    """Across batches too: targets fill the first ones, names that only go come last."""
    targets = [new(a(f"t{n:04d}.example.com", "192.0.2.1")) for n in range(1500)]
    aliases = [new(alias(f"a{n:04d}.example.com", f"t{n:04d}.example.com")) for n in range(1500)]
    gone = a("old.example.com", "192.0.2.1")
    packed = pack([*aliases, NameChange(gone.name, (gone,), ()), *targets], ZONE, no_other)
    at = {change.name: n for n, group in enumerate(packed.groups) for change in group}
    assert all(
        at[parse_name(f"t{n:04d}.example.com")] <= at[parse_name(f"a{n:04d}.example.com")]
        for n in range(1500)
    )
    assert at[gone.name] == max(at.values())
    assert len(packed.groups) == batches_min([*aliases, *targets])


def test_the_first_fence_is_its_own_swap() -> None:
    """Without a fence to delete the batch only creates one."""
    batch = build(None, fence(1), (), zone=ZONE, may_end=never)
    assert batch.changes == (Change("CREATE", to_record_set(fence(1), ZONE)),)


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [
        (fence(2), fence(1, nonce="bb"), "never goes back"),
        (fence(1, 2, 2), fence(1, 1, 2, nonce="bb"), "never goes back"),
        (fence(1), fence(2), "never repeats"),
    ],
)
def test_a_batch_that_would_break_the_fence_cannot_be_built(
    before: FenceRecord, after: FenceRecord, broken: str
) -> None:
    """P1: the order of tokens and the freshness of nonces end the process, not the zone."""
    with pytest.raises(BrokenInvariant, match=broken):
        build(seen(before), after, (), zone=ZONE, may_end=never)


APEX_NS = RecordSet(ZONE, "NS", 60, ("ns.example.net.",))
LAST = a("last.example.com", "192.0.2.1")
OUTSIDE = a("www.example.org", "192.0.2.1")
FENCE_NAME = a("_dnsplan.example.com", "192.0.2.1")


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (NameChange(LAST.name, (LAST,), ()), "P2"),
        (NameChange(APEX_NS.name, (APEX_NS,), (APEX_NS,)), "P6"),
        (new(OUTSIDE), "P6"),
        (new(FENCE_NAME), "P6"),
    ],
)
def test_a_batch_that_would_break_a_promise_cannot_be_built(
    change: NameChange, broken: str
) -> None:
    """P2, P6: the last guard stands where the batch is made, whatever was decided before."""
    with pytest.raises(BrokenInvariant, match=broken):
        build(seen(fence(1)), fence(2, nonce="bb"), (change,), zone=ZONE, may_end=never)


def test_what_stays_at_a_name_counts_as_its_answer() -> None:
    """One member of several may go: the others are the name's answers."""
    change = NameChange(LAST.name, (LAST,), (), kept=1)
    batch = build(seen(fence(1)), fence(2, nonce="bb"), (change,), zone=ZONE, may_end=never)
    assert len(batch.changes) == 3


def test_a_loop_of_aliases_ends() -> None:
    """What Route 53 refuses anyway must not hang us."""
    loop = [
        new(alias("a.example.com", "b.example.com")),
        new(alias("b.example.com", "a.example.com")),
    ]
    assert len(pack(loop, Name("example.com."), no_other).groups) >= 1


def test_a_cname_never_leads_to_what_is_not_there_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that turns into a CNAME waits for its target, and a target for those that leave it."""
    monkeypatch.setattr(packing, "ELEMENTS_MAX", 4)
    www, new = parse_name("www.example.com"), parse_name("web.example.com")
    address, target = a("www.example.com", "192.0.2.1"), a("web.example.com", "192.0.2.2")
    link = cname("www.example.com", "web.example.com.")
    comes = (NameChange(www, (address,), (link,)), NameChange(new, (), (target,)))
    text = RecordSet(new, "TXT", 60, ('"x"',))
    leaves = (NameChange(new, (target,), (text,)), NameChange(www, (link,), (address,)))
    for changes, order in ((comes, [new, www]), (leaves, [www, new])):
        assert [group[0].name for group in pack(changes, ZONE, no_other).groups] == order


def test_a_name_that_stays_hides_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """`a` must not lead through `c` to `b` before `b` has left it, or none of the three answers."""
    monkeypatch.setattr(packing, "ELEMENTS_MAX", 4)
    first, second = a("a.example.com", "192.0.2.1"), a("b.example.com", "192.0.2.1")
    stays = alias("c.example.com", "b.example.com")
    changes = [
        NameChange(first.name, (first,), (alias("a.example.com", "c.example.com"),)),
        NameChange(second.name, (alias("b.example.com", "a.example.com"),), (second,)),
    ]
    packed = pack(changes, ZONE, lambda name: (stays,) if name == stays.name else ())
    assert [group[0].name for group in packed.groups] == [second.name, first.name]


def test_who_leads_through_a_name_that_ends_leaves_before_its_target_loses_a_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What ends goes last, so it still leads on when its target changes."""
    monkeypatch.setattr(packing, "ELEMENTS_MAX", 4)
    target, new = a("a.example.com", "192.0.2.1"), a("z.example.com", "192.0.2.2")
    middle, www = alias("m.example.com", "a.example.com"), alias("www.example.com", "m.example.com")
    changes = [
        NameChange(target.name, (target,), (cname("a.example.com", "y.example.net"),)),
        NameChange(middle.name, (middle,), ()),
        NameChange(www.name, (www,), (alias("www.example.com", "z.example.com"),)),
    ]
    packed = pack([*changes, NameChange(new.name, (), (new,))], ZONE, no_other)
    order = [change.name for group in packed.groups for change in group]
    assert order.index(www.name) < order.index(target.name) < order.index(middle.name)
