"""AWS's answers, looked at where the SDK takes anything for one.

What stands between us and AWS may answer 200 with a page of its own: the SDK reads it as an answer
without contents, which must not be taken for absence. And Route 53 states a refused batch in an
element of its own, as its API reference still shows, or as any other error; the SDK knows only the
latter, and would give us an error without code and reasons.
"""

import re
from collections.abc import Mapping
from typing import Any

from botocore.parsers import ResponseParserError

# Without these an answer is none. Source: the output shapes of the SDK's service models.
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "BatchGetItem": ("Responses",),
    "ChangeResourceRecordSets": ("ChangeInfo",),
    "DescribeTable": ("Table",),
    "GetChange": ("ChangeInfo",),
    "GetHostedZone": ("HostedZone",),
    "GetHostedZoneLimit": ("Count", "Limit"),
    "ListHostedZones": ("HostedZones", "IsTruncated"),
    "ListHostedZonesByName": ("HostedZones", "IsTruncated"),
    "ListResourceRecordSets": ("ResourceRecordSets", "IsTruncated"),
    "Query": ("Items",),
}
_REDIRECT = 300
_MESSAGES = re.compile(rb"<Message>([^<]*)</Message>")
_OWN_ELEMENT = b"<InvalidChangeBatch"


def look_at_answers(client: Any) -> None:
    """Have a client's answers looked at before they are believed."""
    client.meta.events.register("before-parse.route-53.ChangeResourceRecordSets", _as_any_error)
    client.meta.events.register("after-call.route-53", _check_whole)
    client.meta.events.register("after-call.dynamodb", _check_whole)


def _as_any_error(response_dict: dict[str, Any], **_: Any) -> None:
    """Write a refusal in Route 53's own element as its other errors are written."""
    body = response_dict["body"]
    if response_dict["status_code"] < _REDIRECT or _OWN_ELEMENT not in body:
        return
    reasons = b", ".join(one.strip() for one in _MESSAGES.findall(body))
    response_dict["body"] = (
        b"<ErrorResponse><Error><Type>Sender</Type><Code>InvalidChangeBatch</Code><Message>["
        + reasons
        + b"]</Message></Error></ErrorResponse>"
    )


def _check_whole(http_response: Any, parsed: Mapping[str, Any], model: Any, **_: Any) -> None:
    """ResponseParserError where a good answer lacks what every such answer has."""
    if http_response.status_code >= _REDIRECT:
        return
    needed = _NEEDED.get(model.name, ())
    if model.name == "ListResourceRecordSets" and parsed.get("IsTruncated"):
        needed = (*needed, "NextRecordName")
    if missing := [name for name in needed if name not in parsed]:
        raise ResponseParserError(
            f"what came back for {model.name} is no answer: it has no {', '.join(missing)}"
        )
