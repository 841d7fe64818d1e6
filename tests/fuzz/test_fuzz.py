"""Nothing that comes from outside crashes, hangs or swells a decoder."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from dnsplan.codec import BODY_BYTES_MAX, from_chunks, unpacked
from dnsplan.errors import PlanDamaged, Problem, ReadFailed
from enactor.adapters.exceptions import _row
from planner.adapters.vantage_board import _unpacked
from tests.fuzz.running import run
from tests.fuzz.targets import Target, targets

CASES = 50_000
GROWN_MB_MAX = 256.0


def test_good_input_is_taken() -> None:
    """A seed that is refused would test nothing but the refusal; one a target is enough."""
    with targets() as known:
        for one in known:
            one.run(one.seeds[0])


@pytest.mark.timeout(300)
def test_hostile_input_is_answered() -> None:
    """By an error of ours or by a value, within seconds and within bounds of memory."""
    with targets() as known:
        outcome = run(known, CASES, 1, lambda _: None)
        assert [str(one) for one in outcome.broken] == []
        assert set(outcome.taken | outcome.refused) == {one.name for one in known}
    assert outcome.grown_mb < GROWN_MB_MAX


def _crash(_: bytes) -> None:
    raise KeyError("x")


def _hang(_: bytes) -> None:
    while True:
        pass


class _Drawing(Exception):
    """An error that is not cleaned, as ours are."""


def _draw(_: bytes) -> None:
    raise _Drawing("a\x1b[2Jb")


@pytest.mark.parametrize(
    ("act", "why"),
    [(_crash, "KeyError"), (_hang, "no end after"), (_draw, "control characters")],
)
def test_the_runner_sees_what_it_looks_for(
    act: Callable[[bytes], None], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash, a hang, and an error that would draw on the terminal."""
    monkeypatch.setattr("tests.fuzz.running.CASE_WITHIN_S", 0.2)
    outcome = run((Target("t", act, (b"x",), (_Drawing,)),), 1, 1, lambda _: None)
    assert [one.why.startswith(why) for one in outcome.broken] == [True]


def frame(size: int) -> bytes:
    """A frame that states a size and holds next to nothing."""
    return b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", size) + b"\x01\x00\x00"


@pytest.mark.parametrize("size", [BODY_BYTES_MAX + 1, 1 << 40, (1 << 62) - 1])
def test_a_few_bytes_cannot_ask_for_any_memory(size: int) -> None:
    """What a frame states is compared before anything is allocated; the library would not."""
    with pytest.raises(PlanDamaged, match=f"{size} bytes are stated"):
        from_chunks([frame(size)])
    with pytest.raises(ReadFailed, match="bytes are stated"):
        _row({"body": {"B": frame(size)}})
    with pytest.raises(ReadFailed, match="bytes are stated"):
        _unpacked(frame(size))


def test_a_bomb_is_refused_at_its_bound() -> None:
    """A thousand times its size, stated truly."""
    bomb = zstandard.ZstdCompressor().compress(bytes(1_000_000))
    assert unpacked(bomb, bytes_max=1_000_000) == bytes(1_000_000)
    with pytest.raises(zstandard.ZstdError):
        unpacked(bomb, bytes_max=999_999)


def test_a_mistake_shows_what_cannot_be_seen() -> None:
    """Cursor moves, line ends and turned directions of a file are written out."""
    told = str(Problem("f", 1, "k", "a\x1b[2J\nb\u202ec", "x"))
    assert told == "f:1: k: a\\x1b[2J\\nb\\u202ec; allowed: x"
    assert str(ReadFailed("a\x1b[2J\nb")) == "a\\x1b[2J\nb"


def test_reading_a_config_starts_nothing(tmp_path: Path) -> None:
    """A tag that would build an object is a mistake at its line."""
    with targets() as known:
        [config] = [one for one in known if one.name == "config"]
        witness = tmp_path / "witness"
        text = f"azs: [a]\nzones: !!python/object/apply:pathlib.Path.touch ['{witness}']\n"
        with pytest.raises(config.answers):
            config.run(text.encode())
    assert not witness.exists()
