"""The fence: a TXT record set in the zone itself that says which plan the zone holds.

Route 53 has exactly one compare-and-swap: a change batch is all or nothing, and a DELETE must
match the present values exactly. Every batch deletes the fence as it was read and creates the
next, so a batch that was prepared against an older zone is refused whole, however late it lands.
The order of tokens is generation first, then step. A value never repeats, since each carries a
fresh nonce; a repeated value would let a late batch through.
"""

import re
from enum import Enum
from functools import lru_cache

from msgspec import Struct, structs

from dnsplan.errors import FenceDamaged, InvalidRecord
from dnsplan.names import Name, parse_name
from dnsplan.plan import Digest, Generation
from dnsplan.records import RecordSet
from dnsplan.text import quote, unquote
from dnsplan.words import is_word

SCHEMA = "dnsplan/1"
FENCE_LABEL = "_dnsplan"
FENCE_TYPE = "TXT"
FENCE_TTL_S = 60


class FencingToken(Struct, frozen=True, order=True, array_like=True, gc=False):
    """A position in a zone's history; compared where it is written, in Route 53."""

    generation: int
    step: int


class FenceRecord(Struct, frozen=True, gc=False, kw_only=True):
    """What the fence says. Invariant: 1 <= step <= steps, held >= 0.

    step = steps means that the whole plan stands; `held` counts names that keep what they had;
    `frozen` is the id of the freeze that moved it, or None.
    """

    generation: Generation
    step: int
    steps: int
    base: Generation
    held: int
    owner: str
    writer: str
    nonce: str
    digest: Digest
    frozen: str | None = None

    @property
    def token(self) -> FencingToken:
        """The position, for comparison."""
        return FencingToken(self.generation, self.step)

    @property
    def is_complete(self) -> bool:
        """Whether every batch of the plan has landed."""
        return self.step == self.steps

    @property
    def note(self) -> str:
        """The nonce under which the names that it counts as held were noted."""
        return self.nonce.rpartition(_NOTED_UNDER)[2]


class SeenFence(Struct, frozen=True, gc=False):
    """A fence as read: what it says, and the record set that a batch must delete exactly."""

    record: FenceRecord
    listed: RecordSet


class NoFence(Enum):
    """The zone was read and holds no fence record. It is a fact, not a failed read."""

    MISSING = "missing"


def fence_name(zone: Name) -> Name:
    """Where a zone's fence record stands."""
    return parse_name(f"{FENCE_LABEL}.{zone}")


def is_fence(record_set: RecordSet, zone: Name) -> bool:
    """Whether a listed record set is the zone's fence."""
    return record_set.type == FENCE_TYPE and record_set.name == fence_name(zone)


def to_record_set(fence: FenceRecord, zone: Name) -> RecordSet:
    """The record set that states the fence; readable with dig."""
    first = (
        f"{SCHEMA} generation={fence.generation} step={fence.step}/{fence.steps}"
        f" base={fence.base} held={fence.held}"
    )
    if fence.frozen is not None:
        first += f" frozen={fence.frozen}"
    second = f"owner={fence.owner} writer={fence.writer} nonce={fence.nonce} digest={fence.digest}"
    value = quote((first.encode(), second.encode()))
    return RecordSet(fence_name(zone), FENCE_TYPE, FENCE_TTL_S, (value,))


def read_fence(listed: RecordSet) -> SeenFence:
    """What a listed fence record set says, or FenceDamaged with the reason."""
    if len(listed.values) != 1 or listed.set_id is not None or listed.alias is not None:
        raise FenceDamaged(f"{listed.name} must be one simple TXT value, found {listed.values!r}")
    return SeenFence(parse_fence(listed.values[0]), listed)


@lru_cache(maxsize=256)  # each poll reads the one that it read before
def parse_fence(value: str) -> FenceRecord:
    """Read one TXT value, or raise FenceDamaged. Unknown fields are refused: they may matter."""
    try:
        text = " ".join(part.decode("latin-1") for part in unquote(value))
    except InvalidRecord as error:
        raise FenceDamaged(f"the fence cannot be read: {error}") from error
    schema, _, rest = text.partition(" ")
    if schema != SCHEMA:
        raise FenceDamaged(f"fence of schema {schema!r}; this release reads {SCHEMA!r}")
    pairs = [pair.partition("=")[::2] for pair in rest.split()]
    fields = dict(pairs)
    match = _STEP.fullmatch(fields.get("step", ""))
    try:
        if match is None or fields.keys() - {"frozen"} != _FIELDS or len(pairs) != len(fields):
            raise FenceDamaged(f"fence with fields {sorted(pairs)}")  # noqa: TRY301 - one message
        return _checked(
            FenceRecord(
                generation=Generation(_number(fields["generation"])),
                step=int(match[1]),
                steps=int(match[2]),
                base=Generation(_number(fields["base"])),
                held=_number(fields["held"]),
                owner=_word(fields["owner"]),
                writer=_word(fields["writer"]),
                nonce=_word(fields["nonce"]),
                digest=Digest(_word(fields["digest"])),
                frozen=_word(fields["frozen"]) if "frozen" in fields else None,
            )
        )
    except (FenceDamaged, ValueError) as error:
        raise FenceDamaged(f"the fence cannot be read ({error}): {value!r}") from error


def renewed(fence: FenceRecord, *, writer: str, nonce: str) -> FenceRecord:
    """The same position under a new nonce: proof of a write that changes no record."""
    return structs.replace(fence, writer=writer, nonce=nonce)


def next_nonce(standing: FenceRecord | None, nonce: str) -> str:
    """A nonce for a move by hand of a fence that may hold names back: it says where they are noted.

    Whoever sends a batch notes them anew instead, under that batch's own nonce.
    """
    if standing is None or standing.held == 0:
        return nonce
    return f"{nonce}{_NOTED_UNDER}{standing.note}"


def _checked(fence: FenceRecord) -> FenceRecord:
    if not 1 <= fence.step <= fence.steps:
        raise FenceDamaged(f"step {fence.step} of {fence.steps}")
    return fence


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise FenceDamaged(f"{text!r} is no count")
    return int(text)


def _word(text: str) -> str:
    if not is_word(text):
        raise FenceDamaged(f"{text!r} is no plain word")
    return text


# Part of a plain word, so that every release reads a fence that has it.
_NOTED_UNDER = "."

_STEP = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_NUMBER = re.compile(r"[0-9]{1,15}")
_FIELDS = {"generation", "step", "base", "held", "owner", "writer", "nonce", "digest"}
