"""Names that answer by what other names are, or for all other places: no change of the config
silences them, and what it changes beside goes out (P2)."""

import pytest

from planner.rules.notes import Fate
from tests.cases.configs import records_config
from tests.cases.stages import House

OTHER = "other: {{records: [{{type: A, values: [{}]}}]}}"
STAR = '"*": {records: [{type: A, values: [192.0.2.1]}]}'
LED = f"{STAR}, www: {{records: [{{type: CNAME, values: [t.example.com.]}}]}}"
CHALLENGE = "_acme-challenge.t: {records: [{type: TXT, values: [token]}]}"
EUROPE = "{type: A, set_id: eu, geo: {continent: EU}, values: [192.0.2.1]}"
REST = "{{type: A, set_id: rest, geo: {{country: {}}}, values: [192.0.2.2]}}"
PLACES = "www: {{records: [{}, {}]}}"
BY_PLACE = PLACES.format(EUROPE, REST.format('"*"'))
WITHOUT = PLACES.format(EUROPE, REST.format("CA"))


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        (LED, f"{LED}, {CHALLENGE}", "_acme-challenge.t.example.com."),
        (BY_PLACE, WITHOUT, "www.example.com."),
    ],
    ids=["a challenge below a target of a wildcard", "a default that goes"],
)
async def test_one_name_waits_and_the_others_go_on(
    house: House, before: str, after: str, name: str
) -> None:
    """The name at fault stays as it is, with the reason."""
    house.configure(records_config(f"{before}, {OTHER.format('192.0.2.8')}"))
    await house.turn()
    stood = house.content()
    house.configure(records_config(f"{after}, {OTHER.format('192.0.2.9')}"))
    report = await house.turn()
    assert house.answers("other.example.com.") == {"192.0.2.9"}
    kept = {one for one in house.content() if one.name != "other.example.com."}
    assert kept == {one for one in stood if one.name != "other.example.com."}
    assert report.candidate is not None
    notes = [one for one in report.candidate.notes if one.fate is Fate.MALFORMED]
    assert [one.unit[0] for one in notes] == [name]
