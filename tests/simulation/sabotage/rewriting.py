"""Rewrites modules while they are imported, and fails loudly when there is nothing to rewrite.

An edit whose text does not stand exactly once in its module is an error: a guard that moved must be
found again by a person, never be passed over. Nothing is written to disk or to a cache.
"""

import sys
from collections.abc import Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

from tests.simulation.sabotage.sabotage import Edit


class NoSuchText(Exception):
    """The text to rewrite is not there, or not only once."""


def install(edits: Iterable[Edit]) -> "Rewriter":
    """Rewrite from now on. Nothing that is to be rewritten may be imported already."""
    rewriter = Rewriter(tuple(edits))
    late = sorted(rewriter.modules & sys.modules.keys())
    if late:
        raise NoSuchText(f"imported before it could be rewritten: {', '.join(late)}")
    sys.meta_path.insert(0, rewriter)
    return rewriter


def rewritten(source: str, edits: Iterable[Edit]) -> str:
    """The source after some edits of one module."""
    for edit in edits:
        count = source.count(edit.text)
        if count != 1:
            raise NoSuchText(f"{edit.module} has this text {count} times, not once:\n{edit.text}")
        source = source.replace(edit.text, edit.instead)
    return source


class Rewriter(MetaPathFinder):
    """Finds the modules to rewrite before anybody else does."""

    def __init__(self, edits: tuple[Edit, ...]) -> None:
        """Nothing is rewritten until it is imported."""
        self._edits = edits
        self.modules = frozenset(edit.module for edit in edits)
        self._done: set[str] = set()

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """The module's own place, with a loader that rewrites."""
        if fullname not in self.modules:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            raise NoSuchText(f"there is no module {fullname}")
        mine = tuple(edit for edit in self._edits if edit.module == fullname)
        spec.loader = _Loader(fullname, spec.origin, mine)
        self._done.add(fullname)
        return spec

    def check(self) -> None:
        """Every edit took place: what was never imported was never sabotaged."""
        if missing := sorted(self.modules - self._done):
            raise NoSuchText(f"never imported, so never rewritten: {', '.join(missing)}")


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, edits: tuple[Edit, ...]) -> None:
        super().__init__(fullname, path)
        self._edits = edits

    def get_code(self, fullname: str) -> CodeType:
        """Compiled from the rewritten source; the cache holds the other."""
        path = self.get_filename(fullname)
        source = self.get_data(path).decode()
        return self.source_to_code(rewritten(source, self._edits).encode(), path)
