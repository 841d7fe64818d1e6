"""Steps that look: whether all is right in the end, judged from the zone itself."""

from tests.simulation.scenario.language import Places, sentence
from tests.simulation.scenario.stage import Stage
from tests.simulation.seen import mark_of


@sentence("all is right")
async def all_is_right(stage: Stage, _places: Places) -> None:
    """The zone holds the newest plan whole, as its fence says, and the table knows it."""
    label = stage.zone.label
    item, book = stage.cloud.table.items[label], stage.judge.books[label]
    mark = mark_of(stage.judge.hosted(label))
    wrong = "" if mark is None else ", ".join(sorted(stage.judge.otherwise(book, mark)))
    if mark is None or (mark.generation, mark.digest) != (item.head, item.head_digest):
        stage.tell("", f"BROKEN: head is {item.head} and the fence is not there")
    elif not mark.is_whole or wrong:
        stage.tell("", f"BROKEN: plan {mark.generation} does not stand whole: {wrong}")
    elif item.applied != item.head:
        stage.tell("", f"BROKEN: the table says that {item.applied} is applied")
    else:
        stage.tell("", f"yes: plan {item.head} stands whole, and the table knows it")
