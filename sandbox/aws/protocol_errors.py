"""Word an error as a service's protocol does: JSON for DynamoDB, XML for the others we meet."""

from xml.sax.saxutils import escape

import msgspec

from sandbox.aws.call import Answer

JSON = "application/x-amz-json-1.0"
DYNAMODB_TYPE = "com.amazonaws.dynamodb.v20120810#"


def error_answer(service: str, code: str, message: str, status: int) -> Answer:
    """Make an error answer of the service's own form."""
    if service == "dynamodb":
        body = msgspec.json.encode({"__type": DYNAMODB_TYPE + code, "message": message})
        return Answer(status, {"Content-Type": JSON}, body, code)
    sender = "Sender" if status < 500 else "Receiver"
    xml = (
        f"<ErrorResponse><Error><Type>{sender}</Type><Code>{escape(code)}</Code>"
        f"<Message>{escape(message)}</Message></Error>"
        "<RequestId>00000000-0000-0000-0000-000000000000</RequestId></ErrorResponse>"
    )
    return Answer(status, {"Content-Type": "text/xml"}, xml.encode(), code)
