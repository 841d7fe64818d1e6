"""The stage of the real Route 53 adapter, for the rows that are shown on it too."""

from tests.cases.stages import wire

__all__ = ["wire"]
