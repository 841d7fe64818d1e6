"""How AWS's answers are read: what the SDK's parsers trip over, or take for an answer, is none.

What stands between us and AWS may answer with anything. DynamoDB says of a good write and of an
absent item that it has nothing to say, in an empty JSON object; the SDK reads a page of somebody
else as the same, which must be neither. And of bodies in forms that it does not expect it fails in
ways of its own, which must end no daemon.
"""

from typing import Any

import msgspec
from aiobotocore.parsers import AioResponseParserFactory
from botocore.parsers import ResponseParserError

_REDIRECT = 300
_JSON = "json"  # DynamoDB's protocol; an answer of it that is no object says nothing
_TRIPS = (AttributeError, LookupError, TypeError, ValueError)


class AnswerParsers:
    """The component that a session asks for its parsers."""

    def __init__(self) -> None:
        """The SDK's own parsers do the work."""
        self._parsers = AioResponseParserFactory()

    def create_parser(self, protocol: str) -> "_AnswerParser":
        """A parser of this protocol."""
        return _AnswerParser(self._parsers.create_parser(protocol), is_json=protocol == _JSON)


class _AnswerParser:
    def __init__(self, parser: Any, *, is_json: bool) -> None:
        self._parser = parser
        self._is_json = is_json

    async def parse(self, response: dict[str, Any], shape: Any) -> Any:
        """The answer, or ResponseParserError where it is none."""
        if self._is_json and response["status_code"] < _REDIRECT:
            _check_object(response["body"], shape)
        try:
            parsed = await self._parser.parse(response, shape)
        except ResponseParserError:
            raise
        except _TRIPS as error:
            status = response["status_code"]
            what = f"what came back with status {status} is no answer: {type(error).__name__}"
            raise ResponseParserError(what) from error
        if not isinstance(parsed.get("Error", {}), dict):
            parsed["Error"] = {}  # an error without code and words, as of a proxy
        return parsed


def _check_object(body: bytes, shape: Any) -> None:
    """An object with nothing but what no such answer has is of somebody else."""
    try:
        found = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError as error:
        raise ResponseParserError("what came back is no answer: no JSON object") from error
    if found and shape is not None and found.keys().isdisjoint(shape.members):
        raise ResponseParserError(f"what came back is no answer: it has only {sorted(found)[:3]}")
