"""The one config file: its schema, and how it is read with file, line and key for every mistake."""

from dnsplan.runtime.config.derived import PoolUnit, desired_static, limits_for, pool_units
from dnsplan.runtime.config.loading import LoadedConfig, load
from dnsplan.runtime.config.schema import Settings

__all__ = [
    "LoadedConfig",
    "PoolUnit",
    "Settings",
    "desired_static",
    "limits_for",
    "load",
    "pool_units",
]
