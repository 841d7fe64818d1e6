"""Shows how far a long look has come, on a terminal alone; a pipe gets nothing of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn


@contextmanager
def shown(what: str, noun: str) -> Iterator[Callable[[int, int], None]]:
    """Takes how many are done, and about how many there are."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}")
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, said="")

        def progress(done: int, about: int) -> None:
            bar.update(task, completed=done, total=about, said=f"{done} of about {about} {noun}")

        yield progress
