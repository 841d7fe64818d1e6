"""The zone: sorted, paged, counted below, changed whole, and able to lose its last batches."""

from hypothesis import given
from hypothesis import strategies as st

from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import MERGE_FROM, HostedZone, Page, sort_key

APEX = "example.com."
label = st.sampled_from(["a", "b", "a-b", "c", "\\052"])
names = st.lists(label, max_size=3).map(lambda parts: "".join(f"{p}." for p in parts) + APEX)
kinds = st.sampled_from(["A", "AAAA", "TXT"])
ids = st.sampled_from([None, "one", "two"])
sets = st.lists(st.tuples(names, kinds, ids), max_size=25, unique=True)


def empty() -> HostedZone:
    """Make a zone with nothing in it."""
    return HostedZone(zone_id="Z1", name=APEX, private=False, caller_reference="test")


def put(zone: HostedZone, *places: tuple[str, str, str | None], ttl: int = 60) -> None:
    """Put sets in place, one batch."""
    work: dict[str, dict[tuple[str, str], StoredRecordSet]] = {}
    for name, kind, set_id in places:
        held = work.setdefault(name, dict(zone.sets_at(name)))
        made = StoredRecordSet(name, kind, ttl=ttl, values=("x",), set_id=set_id)
        held[made.key] = made
    zone.commit(work)


def place(record: StoredRecordSet) -> tuple[str, str, str | None]:
    """Say where a set stands."""
    return record.name, record.type, record.set_id


@given(sets, st.integers(1, 7))
def test_pages_show_each_set_once_in_order(
    places: list[tuple[str, str, str | None]], size: int
) -> None:
    """Following the next set from page to page lists everything once, sorted."""
    zone = empty()
    put(zone, *places)
    found: list[tuple[str, str, str | None]] = []
    page: Page = zone.page(None, None, None, size)
    while True:
        found += map(place, page.records)
        if page.following is None:
            break
        page = zone.page(*place(page.following), size)
    expected = sorted(places, key=lambda one: sort_key(one[0], one[1], one[2] or ""))
    assert expected == found


@given(sets, st.data())
def test_an_empty_non_terminal_is_known(
    places: list[tuple[str, str, str | None]], data: st.DataObject
) -> None:
    """A name has something below it exactly while some longer name is held."""
    zone = empty()
    put(zone, *places)
    gone = set(data.draw(st.lists(st.sampled_from([p[0] for p in places])))) if places else set()
    zone.commit({name: {} for name in gone})
    left = {name for name, _, _ in places} - gone
    for name in {*left, *gone, APEX, "a.example.com.", "x.example.com."}:
        assert any(other.endswith("." + name) for other in left) == zone.has_below(name)


@given(st.lists(sets, max_size=5), st.integers(0, 6))
def test_forgetting_returns_to_an_earlier_content(
    batches: list[list[tuple[str, str, str | None]]], last: int
) -> None:
    """Losing the last n batches leaves what was there before them."""
    zone = empty()
    states: list[list[StoredRecordSet]] = [[]]
    for number, places in enumerate(batches):
        put(zone, *places, ttl=number)
        states.append(zone.records())
    lost = zone.forget_last(last)
    assert min(last, len(batches)) == lost
    assert states[len(batches) - lost] == zone.records()


@given(sets, sets)
def test_a_snapshot_restores_everything(
    before: list[tuple[str, str, str | None]], after: list[tuple[str, str, str | None]]
) -> None:
    """Whatever happens after a snapshot, restoring it undoes all of it."""
    zone = empty()
    put(zone, *before)
    kept, listed = zone.snapshot(), zone.records()
    put(zone, *after, ttl=1)
    zone.commit({name: {} for name, _, _ in before})
    zone.restore(kept)
    assert listed == zone.records()


def test_large_and_small_batches_sort_alike() -> None:
    """A batch that is merged in one sort leaves the same order as single inserts."""
    places = [(f"h{n * 7919 % 1000:03d}.{APEX}", "A", None) for n in range(MERGE_FROM + 50)]
    one, many = empty(), empty()
    put(one, *places)
    for each in places:
        put(many, each)
    assert many.records() == one.records()
    half = [name for name, _, _ in places[: MERGE_FROM + 10]]
    one.commit({name: {} for name in half})
    for name in half:
        many.commit({name: {}})
    assert many.records() == one.records()


class CountedKey(str):
    """A sort key that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __lt__(self, other: str) -> bool:
        CountedKey.compared += 1
        return str.__lt__(self, other)

    def __gt__(self, other: str) -> bool:
        CountedKey.compared += 1
        return str.__gt__(self, other)


def test_one_change_costs_logarithmic_comparisons() -> None:
    """In a zone of 20,000 names, a change and a page look at a few keys, not at all of them."""
    zone = empty()
    put(zone, *[(f"h{n:05d}.{APEX}", "A", None) for n in range(20_000)])
    zone._keys = [CountedKey(key) for key in zone._keys]
    CountedKey.compared = 0
    put(zone, (f"new.{APEX}", "A", None))
    zone.page(f"h10000.{APEX}", "A", None, 300)
    zone.commit({f"new.{APEX}": {}})
    assert 0 < CountedKey.compared <= 3 * 15
