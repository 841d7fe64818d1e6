"""Sixteen writers and one fence: one winner each time on the stand-in, several on plain moto.

Threads with a blocking client each, as daemons on several machines would be. The second half shows
why plain moto cannot be used to test a fence: the same races there have more than one winner.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from sandbox.aws.threaded import ThreadedStandIn
from tests.contracts.aws.places import record
from tests.contracts.aws.talk import Json, blocking_client, unique

WRITERS = 16
ROUNDS = 100
# On plain moto a double win needs luck; with threads that switch often, one in three rounds has it.
MOTO_ROUNDS_MAX = 300
SWITCH_OFTEN_S = 1e-6

Attempt = Callable[[int], bool]


def accepted(send: Callable[..., Any], **parameters: Any) -> bool:
    """Send a request; say whether it was accepted."""
    try:
        send(**parameters)
    except ClientError:
        return False
    return True


def winners(pool: ThreadPoolExecutor, attempt: Attempt) -> int:
    """Let all writers attempt at the same moment; count those that were accepted."""
    start = threading.Barrier(WRITERS)

    def race(writer: int) -> bool:
        start.wait()
        return attempt(writer)

    return sum(pool.map(race, range(WRITERS)))


class Fence:
    """A fence record in a zone of its own, which writers swap."""

    def __init__(self, endpoint_url: str) -> None:
        self._client = blocking_client("route53", endpoint_url)
        self._zone_name = f"{unique('race')}.example.com."
        made = self._client.create_hosted_zone(Name=self._zone_name, CallerReference=unique("ref"))
        self._zone_id = made["HostedZone"]["Id"]
        self._send([("CREATE", "start")])

    def _send(self, changes: list[tuple[str, str]]) -> None:
        name = f"_fence.{self._zone_name}"
        batch = [
            {"Action": action, "ResourceRecordSet": record(name, "TXT", f'"{text}"')}
            for action, text in changes
        ]
        self._client.change_resource_record_sets(
            HostedZoneId=self._zone_id, ChangeBatch={"Changes": batch}
        )

    def read(self) -> str:
        """Read the fence's text."""
        listed = self._client.list_resource_record_sets(HostedZoneId=self._zone_id)
        found = [one for one in listed["ResourceRecordSets"] if one["Type"] == "TXT"]
        assert len(found) == 1
        text: str = found[0]["ResourceRecords"][0]["Value"]
        return text.strip('"')

    def swap_from(self, old: str, turn: int) -> Attempt:
        """Let a writer try to move the fence from exactly this text to one of its own."""

        def swap(writer: int) -> bool:
            return accepted(lambda: self._send([("DELETE", old), ("CREATE", f"{turn}-{writer}")]))

        return swap


class Item:
    """A generation item in a table of its own, which writers advance."""

    def __init__(self, endpoint_url: str) -> None:
        self._client = blocking_client("dynamodb", endpoint_url)
        self._table = unique("race")
        self._client.create_table(
            TableName=self._table,
            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        self._client.put_item(TableName=self._table, Item={"k": {"S": "gen"}, "g": {"N": "0"}})

    def advance_from(self, generation: int) -> Attempt:
        """Let a writer try to move the item from this generation to the next."""

        def advance(writer: int) -> bool:
            values: Json = {
                ":now": {"N": str(generation)},
                ":next": {"N": str(generation + 1)},
                ":w": {"N": str(writer)},
            }
            return accepted(
                self._client.update_item,
                TableName=self._table,
                Key={"k": {"S": "gen"}},
                UpdateExpression="SET g = :next, w = :w",
                ConditionExpression="g = :now",
                ExpressionAttributeValues=values,
            )

        return advance


@contextmanager
def writers() -> Iterator[ThreadPoolExecutor]:
    """Give each writer a thread."""
    with ThreadPoolExecutor(WRITERS) as pool:
        yield pool


def test_one_writer_wins_the_fence(stand_in: ThreadedStandIn) -> None:
    """Of sixteen swaps from one value exactly one is accepted, a hundred times."""
    fence = Fence(stand_in.endpoint_url)
    with writers() as pool:
        for turn in range(ROUNDS):
            won = winners(pool, fence.swap_from(fence.read(), turn))
            assert (turn, won) == (turn, 1)
            assert fence.read().partition("-")[0] == str(turn)


def test_one_writer_wins_the_item(stand_in: ThreadedStandIn) -> None:
    """Of sixteen conditional updates exactly one is made, a hundred times."""
    item = Item(stand_in.endpoint_url)
    with writers() as pool:
        for turn in range(ROUNDS):
            won = winners(pool, item.advance_from(turn))
            assert (turn, won) == (turn, 1)


def test_plain_moto_lets_several_win_the_fence(plain_moto_url: str) -> None:
    """There every swap from the same, by then stale, value is accepted."""
    fence = Fence(plain_moto_url)
    with writers() as pool:
        assert winners(pool, fence.swap_from(fence.read(), 0)) > 1


def test_plain_moto_lets_several_win_the_item(plain_moto_url: str) -> None:
    """There a condition is checked and the item written in two steps."""
    item = Item(plain_moto_url)
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_OFTEN_S)
    try:
        with writers() as pool:
            for turn in range(MOTO_ROUNDS_MAX):
                if winners(pool, item.advance_from(turn)) > 1:
                    return
    finally:
        sys.setswitchinterval(usual_s)
    raise AssertionError(f"no double win in {MOTO_ROUNDS_MAX} rounds: has moto mended its race?")
