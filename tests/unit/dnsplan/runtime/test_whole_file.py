"""An exported file is whole or not there at all."""

from pathlib import Path

import pytest

from dnsplan.runtime.whole_file import NotWritten, write_whole


def test_a_file_is_replaced(tmp_path: Path) -> None:
    """The new text stands in its place, and nothing beside it."""
    file = tmp_path / "f"
    file.write_text("old")
    write_whole(file, "new")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("f", "new")]


def test_what_stood_there_stays(tmp_path: Path) -> None:
    """When it cannot be written, the old file is as it was and nothing is left behind."""
    file = tmp_path / "f"
    file.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(file, "half \udc00")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("f", "old")]


def test_a_place_that_is_none(tmp_path: Path) -> None:
    """A folder that is missing, or a folder in the file's place, is said."""
    with pytest.raises(NotWritten, match="no such file or directory"):
        write_whole(tmp_path / "none" / "f", "x")
    with pytest.raises(NotWritten, match="is a directory"):
        write_whole(tmp_path, "x")
