"""The stages that every case may ask for."""

from tests.cases.stages import house, wire

__all__ = ["house", "wire"]
