"""Answer the three Route 53 requests that a zone's life consists of, straight from the core.

Everything else about Route 53 is moto's, on the same zones.
"""

from collections.abc import Callable

from sandbox.aws.call import Answer, Call
from sandbox.aws.route53_wire import change_info_xml, envelope, page_xml, read_batch, refusal_xml
from sandbox.route53.account import PAGE_MAX, Account
from sandbox.route53.names import BadNameError, canonical
from sandbox.route53.refusals import InvalidInput, Refusal

XML = "text/xml"


class HotRoute53:
    """The hot operations over one account."""

    def __init__(self, account: Account, make_request_id: Callable[[], str]) -> None:
        self._account = account
        self._request_id = make_request_id
        self._operations: dict[str, Callable[[Call], bytes]] = {
            "ChangeResourceRecordSets": self.change,
            "ListResourceRecordSets": self.list,
            "GetChange": self.get_change,
        }

    def answers(self, call: Call) -> bool:
        """Is this one of the hot operations?"""
        return call.operation in self._operations

    def answer(self, call: Call) -> Answer:
        """Answer a hot operation, or its refusal."""
        request_id = self._request_id()
        headers = {"Content-Type": XML, "x-amzn-RequestId": request_id}
        try:
            return Answer(200, headers, self._operations[call.operation](call))
        except Refusal as refusal:
            return refused(refusal, request_id)

    def change(self, call: Call) -> bytes:
        """ChangeResourceRecordSets."""
        comment, changes = read_batch(call.body)
        accepted = self._account.submit(call.resources[0], changes, comment)
        return envelope("ChangeResourceRecordSetsResponse", change_info_xml(accepted, insync=False))

    def list(self, call: Call) -> bytes:
        """ListResourceRecordSets."""
        zone = self._account.zone(call.resources[0])
        query = call.query
        name, kind, set_id = query.get("name"), query.get("type"), query.get("identifier")
        if (kind and not name) or (set_id and not kind):
            raise InvalidInput("The input is not valid")
        max_items = min(positive(query.get("maxitems")), PAGE_MAX)
        page = zone.page(start_of(name), kind or None, set_id or None, max_items)
        return page_xml(page, max_items)

    def get_change(self, call: Call) -> bytes:
        """GetChange."""
        accepted = self._account.change(call.path.rstrip("/"))
        return envelope(
            "GetChangeResponse", change_info_xml(accepted, insync=self._account.insync(accepted))
        )


def refused(refusal: Refusal, request_id: str) -> Answer:
    """Turn a refusal into an answer."""
    headers = {"Content-Type": XML, "x-amzn-RequestId": request_id}
    return Answer(refusal.status, headers, refusal_xml(refusal, request_id), refusal.code)


def start_of(name: str | None) -> str | None:
    """Fold the name that a listing starts at."""
    if not name:
        return None
    try:
        return canonical(name)
    except BadNameError as bad:
        raise InvalidInput(str(bad)) from bad


def positive(text: str | None) -> int:
    """Read MaxItems; without it a page is as long as pages get."""
    if text is None or text == "":
        return PAGE_MAX
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise InvalidInput(f"Invalid request: MaxItems '{text}' is not a positive number")
    return int(text)
