"""The adapter for each form of source that the config can state."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from dnsplan.errors import BrokenInvariant
from dnsplan.runtime.config.source_shape import Source as StatedSource
from dnsplan.runtime.retry import Retrying
from planner.adapters.sources.balancers import (
    OpensClients,
    StatedBalancersSource,
    TaggedBalancersSource,
)
from planner.adapters.sources.commands import CommandSource
from planner.adapters.sources.files import FileSource
from planner.adapters.sources.web import WebSource
from planner.membership import Feed, StatedBalancers
from planner.ports import Source

Remembering: TypeAlias = Callable[[Source, Feed], Source]
"""Puts a memory around a source, so that a restart does not lose its last whole list."""


class SourceOpener:
    """Makes sources; none is asked yet."""

    def __init__(
        self,
        environ: Mapping[str, str],
        clients: OpensClients,
        retrying: Retrying,
        remembering: Remembering,
    ) -> None:
        """`environ` is what commands find."""
        self._environ = environ
        self._clients = clients
        self._retrying = retrying
        self._remembering = remembering

    def __call__(self, feed: Feed) -> Source:
        """The source of a feed.

        What load balancers say of their targets' health ages too fast to be remembered.
        """
        if isinstance(feed.what, StatedBalancers):
            return StatedBalancersSource(feed.what.targets, self._clients, self._retrying)
        if feed.what.load_balancers is not None:
            return TaggedBalancersSource(feed.what.load_balancers, self._clients, self._retrying)
        return self._remembering(self._opened(feed.what), feed)

    def _opened(self, stated: StatedSource) -> Source:
        if stated.file is not None:
            return FileSource(stated.file.path)
        if (command := stated.command) is not None:
            return CommandSource(command.run, self._environ, timeout_s=command.timeout_s)
        if (http := stated.http) is not None:
            return WebSource(http.url, http.authorization, timeout_s=http.timeout_s)
        raise BrokenInvariant("a source without a form passed the config's checks")
