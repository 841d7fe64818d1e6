"""A broken promise as a numbered trace, one line a move: who did what, and what came back."""

from tests.simulation.explorer.histories import GONE
from tests.simulation.explorer.moves import Move, Moves
from tests.simulation.explorer.search import Found
from tests.simulation.explorer.words import answer_in_words, in_words


def told(found: Found, moves: Moves) -> list[str]:
    """The numbered trace, and what is broken at its end."""
    lines = [
        f"{number:3d}. {_who(node, move, moves)}"
        for number, (node, move) in enumerate(found.trace, 1)
    ]
    world, node = found.last
    number = len(lines) + 1
    if node != GONE:
        call = moves.doubles.ops.values[moves.histories.nodes[node].op]
        lines.append(f"{number:3d}. {moves.histories.name_of(node)}: {in_words(call)}")
    else:
        late = [moves.doubles.ops.values[op] for op in moves.worlds.values[world].late]
        what = "; ".join(map(in_words, late)) or "Route 53 fails over"
        lines.append(f"{number:3d}. meanwhile: {what}")
    lines.extend(f"     {line}" for line in found.broken.after)
    lines.append(f"     {found.broken}")
    return lines


def _who(node: int, move: Move, moves: Moves) -> str:
    call = in_words(moves.doubles.ops.values[move.op]) if move.op >= 0 else ""
    answer = f" -> {answer_in_words(move.answer)}" if move.answer is not None else ""
    if node == GONE:
        return f"late: {call}{answer}" if call else move.what
    name = moves.histories.name_of(node)
    if move.op < 0:
        return f"{name} {move.what}"
    return f"{name}: {call}: {move.what}" if move.what else f"{name}: {call}{answer}"
