"""Targets that answer as told, asked through the prober's port; every question is counted."""

from collections import Counter

from planner.rules.probing import Bad, Good, NotAsked, Probe, ProbeResult


class FakeProber:
    """Every address answers well until told otherwise."""

    def __init__(self) -> None:
        """Start with a healthy world."""
        self.answers: dict[str, ProbeResult] = {}
        self.asked: Counter[str] = Counter()

    def kill(self, address: str) -> None:
        """From now on the address refuses."""
        self.answers[address] = Bad("connection refused")

    def revive(self, address: str) -> None:
        """From now on the address answers well."""
        self.answers[address] = Good("status 200")

    def lose_sight(self, address: str) -> None:
        """From now on the question does not leave this machine."""
        self.answers[address] = NotAsked("too many open files")

    async def probe(self, probe: Probe) -> ProbeResult:
        """Answer as told."""
        self.asked[probe.address] += 1
        return self.answers.get(probe.address, Good("status 200"))
