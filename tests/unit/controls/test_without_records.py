"""Which commands read the records files that a config names: those that go by what it states."""

from pathlib import Path

import pytest

from dnsplan import exits
from dnsplan.runtime.config.schema import Settings
from runbooks.controls.outside import Operator
from runbooks.controls.session import looking, run_with
from tests.unit.dnsplan.config.test_without_records import stated


@pytest.mark.parametrize(("records", "code"), [(False, exits.FINE), (True, exits.USAGE)])
def test_only_commands_that_go_by_names_read_them(tmp_path: Path, records: bool, code: int) -> None:
    """A freeze must not wait for 300,000 records to be read, nor stop at a bad one."""
    path = stated(tmp_path, "this is no record\n")

    async def work(_: Settings, __: Operator) -> int:
        return exits.FINE

    assert run_with(looking(path, ("shop",)), {}, work, records=records) == code
