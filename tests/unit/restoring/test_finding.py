"""Which hosted zone a plan file is for, with nothing but its name: the only one, or an error."""

import re
from typing import Any

import pytest

from dnsplan.names import parse_name
from dnsplan.ports import Zone
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.zones import ZoneFinder
from runbooks.controls.outside import Mistaken
from runbooks.restoring.wiring import zone_of
from tests.fakes.clock import FakeClock, SeededJitter

NAME = parse_name("example.com")


class Account:
    """The hosted zones of one account, as the SDK lists them."""

    def __init__(self, *zones: tuple[str, str, bool]) -> None:
        """Id, name, and whether it is private."""
        self._zones = [
            {"Id": f"/hostedzone/{one}", "Name": name, "Config": {"PrivateZone": private}}
            for one, name, private in zones
        ]

    async def get_hosted_zone(self, **request: Any) -> dict[str, Any]:
        """The zone of an id."""
        wanted = f"/hostedzone/{request['Id']}"
        return {"HostedZone": next(one for one in self._zones if one["Id"] == wanted)}

    async def list_hosted_zones_by_name(self, **request: Any) -> dict[str, Any]:
        """All zones from a name on."""
        from_name = [one for one in self._zones if str(one["Name"]) >= request["DNSName"]]
        return {"HostedZones": from_name, "IsTruncated": False}

    async def list_hosted_zones(self, **request: Any) -> dict[str, Any]:
        """Not asked here."""
        raise AssertionError(request)


def finder(*zones: tuple[str, str, bool]) -> ZoneFinder:
    """A finder in that account."""
    retrying = Retrying(FakeClock(), SeededJitter(), budget=RetryBudget())
    return ZoneFinder({"shop": Account(*zones)}, retrying)


@pytest.mark.parametrize("private", [False, True])
async def test_the_only_zone_of_that_name(*, private: bool) -> None:
    """Public or private: the file need not say which."""
    found = await zone_of(
        finder(("Z1", "example.com.", private), ("Z2", "example.net.", False)), "shop", NAME, None
    )
    assert found == Zone("shop", "Z1", NAME)


@pytest.mark.parametrize(
    ("zones", "said"),
    [
        ([("Z1", False), ("Z2", True)], "more than one hosted zone example.com.: Z1, Z2; choose"),
        ([("Z1", False), ("Z2", False)], "Z1, Z2; choose by --zone-id"),
        ([("Z1", False), ("Z2", True), ("Z3", True)], "Z2, Z3, Z1; choose by --zone-id"),
        ([], "no public hosted zone example.com. in this account; no private hosted zone"),
    ],
)
async def test_none_and_several_are_errors(zones: list[tuple[str, bool]], said: str) -> None:
    """Each is named with its id, and so is the option that chooses."""
    account = [(zone_id, "example.com.", private) for zone_id, private in zones]
    with pytest.raises(Mistaken, match=re.escape(said)):
        await zone_of(finder(*account), "shop", NAME, None)


async def test_an_id_must_be_of_that_name() -> None:
    """A mistyped id of another zone is no place for this file."""
    account = finder(("Z1", "example.com.", True), ("Z2", "example.net.", False))
    assert (await zone_of(account, "shop", NAME, "Z1")).zone_id == "Z1"
    with pytest.raises(Mistaken, match=re.escape("Z2, the zone example.net.")):
        await zone_of(account, "shop", NAME, "Z2")
