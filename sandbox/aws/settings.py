"""What can be set about a stand-in, and where its time and chance come from.

Settings may be changed while it runs; chance may be seeded, so that a simulation repeats exactly.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox.aws.moto_dynamodb import DynamoDBSettings
from sandbox.route53.account import Route53Settings

ZONE_ID_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@dataclass(slots=True)
class StandInSettings:
    """How the stand-in behaves."""

    route53: Route53Settings = field(default_factory=Route53Settings)
    dynamodb: DynamoDBSettings = field(default_factory=DynamoDBSettings)


@dataclass(slots=True)
class Chance:
    """Time and chance. `clock` rises steadily; `wall` is what AWS would stamp."""

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    source: random.Random = field(default_factory=random.SystemRandom)

    def hex32(self) -> str:
        """Make 128 fresh bits."""
        return f"{self.source.getrandbits(128):032x}"

    def zone_id(self, _name: str) -> str:
        """Make a zone id as AWS makes them."""
        return "Z" + "".join(self.source.choices(ZONE_ID_CHARS, k=20))
