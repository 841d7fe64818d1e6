"""Draws a recovery as SVG: goodput, backlog and lag over time, with nothing but text."""

from collections.abc import Callable, Iterable, Sequence
from html import escape

from tests.simulation.fleet.recovery import Point, Recovery

WIDTH, HEIGHT = 860, 190
LEFT, RIGHT, TOP, BOTTOM, GAP = 70, 20, 46, 34, 26
TICKS = 4
FONT = 'font-family="sans-serif" font-size="12"'
OURS, OTHER, LIMIT = "#0b6e4f", "#c0392b", "#7f8c8d"

Value = Callable[[Point], float]
PANELS: Sequence[tuple[str, Value]] = (
    ("useful requests a second", lambda one: one.useful / 60.0),
    ("zones that are behind", lambda one: one.behind),
    ("oldest change that waits, minutes", lambda one: one.lag_s / 60.0),
)


def drawn(recovery: Recovery, beside: Recovery | None, *, limit_per_s: float = 5.0) -> str:
    """One picture of one run, or of two on the same scales."""
    runs = [(recovery, OURS, "as it is")]
    if beside is not None:
        runs.append((beside, OTHER, "without budget, pacing and coalescing"))
    minutes = max(len(run.minutes) for run, _, _ in runs)
    total = TOP + len(PANELS) * (HEIGHT + GAP) + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total}" {FONT}>',
        f'<rect width="{WIDTH}" height="{total}" fill="white"/>',
        _text(LEFT, 18, f"{recovery.zones} zones, all of them changed during an outage", size=14),
    ]
    for at, (_, colour, name) in enumerate(runs):
        parts.append(_text(LEFT + at * 240, 36, f"\u2014 {name}", colour=colour))
    for at, (title, value) in enumerate(PANELS):
        top = TOP + at * (HEIGHT + GAP)
        most = max(value(one) for run, _, _ in runs for one in run.minutes)
        if at == 0:
            most = max(most, limit_per_s)
        parts += _frame(top, title, most or 1.0, minutes)
        if at == 0:
            parts.append(_level(top, limit_per_s, most, "limit of the account"))
        for run, colour, _ in runs:
            values = [value(one) for one in run.minutes]
            parts.append(_line(top, values, most or 1.0, minutes, colour))
    parts.append(_text(WIDTH / 2 - 80, total - 8, "minutes since the outage ended"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _frame(top: float, title: str, most: float, minutes: int) -> Iterable[str]:
    yield _text(LEFT, top + 12, title)
    base = top + HEIGHT
    yield f'<path d="M{LEFT} {top + 18}V{base}H{WIDTH - RIGHT}" fill="none" stroke="black"/>'
    for at in range(TICKS + 1):
        y = _y(top, most * at / TICKS, most)
        yield _text(LEFT - 6, y + 4, f"{most * at / TICKS:.3g}", anchor="end")
        x = LEFT + (WIDTH - LEFT - RIGHT) * at / TICKS
        yield _text(x, base + 14, f"{minutes * at / TICKS:.3g}", anchor="middle")


def _level(top: float, value: float, most: float, name: str) -> str:
    y = _y(top, value, most)
    line = f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{LIMIT}" stroke-dasharray="4 3"/>'
    return line + _text(WIDTH - RIGHT, y + 14, name, colour=LIMIT, anchor="end")


def _line(top: float, values: Sequence[float], most: float, minutes: int, colour: str) -> str:
    step = (WIDTH - LEFT - RIGHT) / max(1, minutes)
    points = " ".join(
        f"{LEFT + (at + 0.5) * step:.1f},{_y(top, value, most):.1f}"
        for at, value in enumerate(values)
    )
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _y(top: float, value: float, most: float) -> float:
    return top + HEIGHT - (HEIGHT - 24) * value / most


def _text(
    x: float, y: float, words: str, *, colour: str = "black", size: int = 12, anchor: str = "start"
) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" font-size="{size}"'
        f' text-anchor="{anchor}">{escape(words)}</text>'
    )
