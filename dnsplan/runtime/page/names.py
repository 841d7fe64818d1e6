"""A plan's names as a page shows them: what each answers, and how many of its targets are well.

Pure. Names that a pool drives come first, since those move; the rest is counted. A pool in shards
is shown as one.
"""

from collections.abc import Iterable, Mapping

from dnsplan.names import display
from dnsplan.plan import NameLedger, Plan
from dnsplan.records import RecordSet, Unit, Weighted, by_unit, member_in_words
from dnsplan.runtime.page.model import NameView
from dnsplan.shards import is_shard_of, seen_through, shards_at

NAMES_MAX = 100
ANSWERS_MAX = 24


def name_views(plan: Plan) -> tuple[tuple[NameView, ...], int]:
    """The first names and types, and how many more there are."""
    ledgers = {(one.name, one.type): one for one in plan.ledger}
    units = by_unit(plan.content)
    heads = [unit for unit in units if not is_shard_of(unit, units)]
    ordered = sorted(heads, key=lambda unit: (unit not in ledgers, *unit))
    shown = ordered[:NAMES_MAX]
    views = tuple(_view(unit, units, ledgers.get(unit)) for unit in shown)
    return views, len(ordered) - len(shown)


def _view(
    unit: Unit, units: Mapping[Unit, tuple[RecordSet, ...]], ledger: NameLedger | None
) -> NameView:
    members = seen_through(units, unit)
    answers = [text for one in members for text in _answers(one)]
    if shards := shards_at(unit[0], units[unit]):
        answers.insert(0, f"{len(answers)} answers in {len(shards)} shards:")
    more = len(answers) - ANSWERS_MAX
    shown = (*answers[:ANSWERS_MAX], *((f"and {more} more",) if more > 0 else ()))
    return NameView(
        name=display(unit[0]),
        type=unit[1],
        ttl_s=members[0].ttl_s,
        answers=shown,
        targets_all=None if ledger is None else ledger.targets,
        targets_healthy=None if ledger is None else ledger.healthy,
    )


def _answers(one: RecordSet) -> Iterable[str]:
    """Values, with the weight where there is one; other policies are said in words."""
    values = one.values if one.alias is None else (f"alias of {display(one.alias.name)}",)
    match one.routing:
        case Weighted(weight):
            yield from (f"{value} (weight {weight})" for value in values)
        case None:
            yield from values
        case _:
            words = member_in_words(one)
            yield from (value if words == one.set_id else f"{value} ({words})" for value in values)
