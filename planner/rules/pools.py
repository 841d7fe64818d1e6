"""What a pool is to the rules: its members, and the names and types that they answer.

These are the words in which the other rules think. A member is a target seen from one record type:
an IPv4 address answers A, an IPv6 address AAAA. Nothing here decides anything.
"""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from dnsplan.names import Name
from dnsplan.records import AliasTarget, Unit
from dnsplan.velocity import VelocityLimit
from planner.rules.roll import Attendance

TargetKey: TypeAlias = tuple[str, str]
"""Pool and target id: what a probe looks at, however many names the pool answers."""


class Policy(Enum):
    """How the answers of one name and type are given."""

    WEIGHTED = "weighted"
    MULTIVALUE = "multivalue"
    SIMPLE = "simple"


class Balance(Enum):
    """What weights go by."""

    CAPACITY = "capacity"
    AZ = "az"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One target as an answer. `answer` is an address in canonical text, or the alias's name.

    Capacity 0 is drained. A member that is not probed counts as healthy. One that is absent was
    lacked by its source's last complete read, which is not confirmed yet. `source` is empty for
    what the config states itself.
    """

    key: TargetKey
    answer: str
    alias: AliasTarget | None
    capacity: int
    is_probed: bool
    az: str | None = None
    is_absent: bool = False
    source: str = ""

    @property
    def target_id(self) -> str:
        """The target's id in its pool; also the set identifier of its record set."""
        return self.key[1]

    @property
    def is_drained(self) -> bool:
        """Whether the operator wants it to answer nobody."""
        return self.capacity == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolUnit:
    """One name and type that a pool drives.

    `members` are sorted by id. `capacity_max` is the largest capacity of the whole pool, the scale
    of all weights. `first_look_s` is how long a new name waits for its first probe round.
    `probation_s` is how long a target that fell stays out at least, `slow_start_s` how long one
    that comes is spared; 0 is not at all.
    `attendance` is None where the config alone names the members. `staying` are answers that no
    member gives and whose absence is not confirmed; `defers`: weights are left as they are. For
    both see `absence`.
    """

    name: Name
    type: str
    ttl_s: int
    policy: Policy
    members: tuple[Member, ...]
    capacity_max: int
    panic_threshold: float
    limit: VelocityLimit
    first_look_s: float
    probation_s: float = 0.0
    slow_start_s: float = 0.0
    balance: Balance = Balance.CAPACITY
    attendance: Attendance | None = None
    staying: frozenset[str] = frozenset()
    defers: bool = False
    pool: str = ""

    @property
    def unit(self) -> Unit:
        """The name and type, as a plan manages them."""
        return (self.name, self.type)
