"""A reader that goes away ends a command quietly, whatever it was about to say."""

import os
import sys

import pytest

from sandbox.run.output import CLOSED_PIPE, Output


def test_a_closed_pipe_is_told_once_and_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later lines go nowhere, and the exit code is the shell's for a closed pipe."""
    reader, writer = os.pipe()
    told: list[str] = []
    with os.fdopen(writer, "w") as paper:
        monkeypatch.setattr(sys, "stdout", paper)
        output = Output(lambda: told.append("closed"))
        output.write("first")
        assert (os.read(reader, 100), output.exit_code(0)) == (b"first\n", 0)
        os.close(reader)
        for line in ("second", "third"):
            output.write(line)
    assert told == ["closed"]
    assert output.exit_code(0) == CLOSED_PIPE == 141
