"""What `tests/system/install` brings: found, or a skip that says so; with REQUIRE_ALL=1 a failure,
so that CI never passes over a test in silence."""

import os
import shutil
from typing import NoReturn

import pytest

SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin"  # where people's PATH does not always reach


def program(name: str) -> str:
    """Where a program is."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}")
    return found or missing(name)


def missing(name: str) -> NoReturn:
    """End the test that cannot do without this."""
    reason = f"{name} is not installed; tests/system/install brings it"
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
