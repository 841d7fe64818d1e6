"""The suite that both doubles take: ours passes every row, by both clients; plain moto fails some.

A row that plain moto fails is a strict expected failure: a release of moto that mends it tells us.
"""

import pytest

from tests.contracts.aws import dynamodb_rows, route53_more_rows, route53_rows
from tests.contracts.aws.rows import Case, parameters
from tests.contracts.aws.talk import Talk

ALL = route53_rows.ROWS + route53_more_rows.ROWS + dynamodb_rows.ROWS
# What plain moto does with a race is a matter of luck; test_races.py tries until it has some.
RACES = ("d01", "d02", "d03")
ON_MOTO = [case for case in ALL if not case.name.startswith(RACES)]
ROUTE53_ROWS = 38
DYNAMODB_ROWS = 11


@pytest.mark.parametrize("case", ALL, ids=[case.name for case in ALL])
async def test_the_stand_in_does_as_aws_does(case: Case, talk: Talk) -> None:
    """Every row holds on the stand-in."""
    await case.run(talk)


@pytest.mark.parametrize("case", parameters(ON_MOTO))
async def test_plain_moto(case: Case, moto_talk: Talk) -> None:
    """A row holds on plain moto, or is known not to."""
    await case.run(moto_talk)


def test_every_row_is_there() -> None:
    """The rows are numbered without a gap, and no number stands twice."""
    numbers = sorted(case.name.partition("_")[0] for case in ALL)
    expected = [f"d{n:02d}" for n in range(1, DYNAMODB_ROWS + 1)]
    expected += [f"m{n:02d}" for n in range(1, ROUTE53_ROWS + 1)]
    assert expected == numbers
