"""A DynamoDB client that answers from a script: for what no stand-in does, such as leaving keys.

It answers in order and refuses to answer more; every request is kept.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError


def aws_error(code: str, status: int = 400) -> ClientError:
    """An answer with an error."""
    return ClientError(
        {
            "Error": {"Code": code, "Message": "scripted"},
            "ResponseMetadata": {
                "HTTPStatusCode": status,
                "RequestId": "r",
                "HostId": "h",
                "HTTPHeaders": {},
                "RetryAttempts": 0,
            },
        },
        "Scripted",
    )


class ScriptedDynamoDb:
    """Each call takes the next answer: a mapping is returned, an exception raised."""

    def __init__(self, answers: Sequence[Mapping[str, Any] | Exception]) -> None:
        """Keep the script."""
        self._answers = deque(answers)
        self.requests: list[tuple[str, dict[str, Any]]] = []

    async def get_item(self, **request: Any) -> Mapping[str, Any]:
        """GetItem."""
        return self._next("get_item", request)

    async def batch_get_item(self, **request: Any) -> Mapping[str, Any]:
        """BatchGetItem."""
        return self._next("batch_get_item", request)

    async def update_item(self, **request: Any) -> Mapping[str, Any]:
        """UpdateItem."""
        return self._next("update_item", request)

    async def put_item(self, **request: Any) -> Mapping[str, Any]:
        """PutItem."""
        return self._next("put_item", request)

    async def delete_item(self, **request: Any) -> Mapping[str, Any]:
        """DeleteItem."""
        return self._next("delete_item", request)

    async def query(self, **request: Any) -> Mapping[str, Any]:
        """Query."""
        return self._next("query", request)

    async def describe_table(self, **request: Any) -> Mapping[str, Any]:
        """DescribeTable."""
        return self._next("describe_table", request)

    async def create_table(self, **request: Any) -> Mapping[str, Any]:
        """CreateTable."""
        return self._next("create_table", request)

    def _next(self, operation: str, request: dict[str, Any]) -> Mapping[str, Any]:
        self.requests.append((operation, request))
        if not self._answers:
            raise AssertionError(f"{operation} was not in the script")
        answer = self._answers.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer
