"""The file that --save writes is the way back: no second run takes it away."""

from pathlib import Path

from runbooks.restoring.saving import save


def test_what_stood_is_never_written_over(tmp_path: Path) -> None:
    """A restore that was stopped half-way goes on by the same command, --save and all."""
    told: list[str] = []
    file = tmp_path / "before.json"
    for text in ("all of it", "half of it", "nearly nothing"):
        save(file, text, told.append)
    found = {one.name: one.read_text() for one in tmp_path.iterdir()}
    assert found == {
        "before.json": "all of it",
        "before-2.json": "half of it",
        "before-3.json": "nearly nothing",
    }
    assert told[:2] == [
        f"what stands now is written to {file}",
        f"{file} is there already and is kept, as what stood before",
    ]
