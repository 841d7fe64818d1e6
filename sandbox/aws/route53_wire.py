"""Read and write the three Route 53 requests that matter for speed, and Route 53's errors.

One place knows the XML. Reading never refuses what the rules should judge: a bad name travels
inside the change as a complaint.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from sandbox.route53.account import AcceptedChange
from sandbox.route53.model import AliasTo, Change, Geo, StoredRecordSet
from sandbox.route53.names import BadNameError, canonical
from sandbox.route53.refusals import InvalidInput, Refusal
from sandbox.route53.zone import Page

XMLNS = "https://route53.amazonaws.com/doc/2013-04-01/"
HEAD = '<?xml version="1.0"?>\n'
XMLNS_ATTRIBUTE = re.compile(rb"""\sxmlns=(["'])[^"']*\1""")
OTHER_ELEMENTS = ("TrafficPolicyInstanceId", "CidrRoutingConfig", "GeoProximityLocation")


def read_batch(body: bytes) -> tuple[str | None, list[Change]]:
    """Read a ChangeResourceRecordSets request: its comment and its changes in order."""
    try:
        # Loopback only, and expat in this Python bounds entity expansion.
        root = ET.fromstring(XMLNS_ATTRIBUTE.sub(b"", body, count=1))  # noqa: S314 - only our own tests talk to it
    except ET.ParseError as bad:
        raise InvalidInput(f"Invalid XML ; {bad}") from bad
    comment = root.findtext("ChangeBatch/Comment")
    return comment, [read_change(one) for one in root.iterfind("ChangeBatch/Changes/Change")]


def read_change(element: ET.Element) -> Change:
    """Read one change; what is wrong with its names becomes its complaints."""
    sent = element.find("ResourceRecordSet")
    if sent is None:
        raise InvalidInput("Invalid request: Missing field 'ResourceRecordSet' in Change")
    fields: dict[str, object] = {"name": "", "type": ""}
    complaints: list[str] = []
    other = []
    for part in sent:
        reader = READERS.get(part.tag)
        if reader is not None:
            key, value = reader(part, complaints)
            fields[key] = value
        elif part.tag in OTHER_ELEMENTS:
            part.tail = None
            other.append((part.tag, ET.tostring(part, encoding="unicode")))
    if other:
        fields["other"] = tuple(other)
    # The readers give each field its own type; a wrong tag cannot reach a field.
    record = StoredRecordSet(**fields)  # type: ignore[arg-type]  # rules check it
    action = element.findtext("Action") or ""
    return Change(action, record, tuple(complaints))  # type: ignore[arg-type]  # rules check it


Reader = Callable[[ET.Element, list[str]], tuple[str, object]]


def text_of(field: str) -> Reader:
    return lambda part, _complaints: (field, part.text or "")


def number_of(field: str) -> Reader:
    def read(part: ET.Element, _complaints: list[str]) -> tuple[str, object]:
        try:
            return field, int(part.text or "")
        except ValueError as bad:
            raise InvalidInput(
                f"Invalid XML ; cvc-datatype-valid.1.2.1: '{part.text}' is not a valid value for"
                " 'integer'."
            ) from bad

    return read


def name_of(part: ET.Element, complaints: list[str]) -> tuple[str, object]:
    return "name", read_name(part.text or "", complaints)


def read_name(text: str, complaints: list[str]) -> str:
    """Fold a name; a bad one stays as sent, with Route 53's complaint noted."""
    try:
        return canonical(text)
    except BadNameError as bad:
        complaints.append(str(bad))
        return text


def values_of(part: ET.Element, _complaints: list[str]) -> tuple[str, object]:
    return "values", tuple([one.findtext("Value") or "" for one in part])


def alias_of(part: ET.Element, complaints: list[str]) -> tuple[str, object]:
    zone_id = (part.findtext("HostedZoneId") or "").rpartition("/")[2]
    name = read_name(part.findtext("DNSName") or "", complaints)
    return "alias", AliasTo(zone_id, name, part.findtext("EvaluateTargetHealth") == "true")


def geo_of(part: ET.Element, _complaints: list[str]) -> tuple[str, object]:
    found = [part.findtext(tag) for tag in ("ContinentCode", "CountryCode", "SubdivisionCode")]
    return "geo", Geo(*found)


def multivalue_of(part: ET.Element, _complaints: list[str]) -> tuple[str, object]:
    return "multivalue", True if part.text == "true" else None


READERS: dict[str, Reader] = {
    "Name": name_of,
    "Type": text_of("type"),
    "SetIdentifier": text_of("set_id"),
    "Weight": number_of("weight"),
    "Region": text_of("region"),
    "GeoLocation": geo_of,
    "Failover": text_of("failover"),
    "MultiValueAnswer": multivalue_of,
    "TTL": number_of("ttl"),
    "ResourceRecords": values_of,
    "AliasTarget": alias_of,
    "HealthCheckId": text_of("health_check_id"),
}


def record_xml(record: StoredRecordSet) -> str:
    """Write one record set as listings do."""
    if record.set_id is None and record.alias is None and not record.other:
        policy = ""
    else:
        policy = policy_xml(record)
    if record.alias is not None:
        source = alias_xml(record.alias)
    elif record.values:
        values = "".join(
            [
                f"<ResourceRecord><Value>{escape(value)}</Value></ResourceRecord>"
                for value in record.values
            ]
        )
        source = f"<TTL>{record.ttl}</TTL><ResourceRecords>{values}</ResourceRecords>"
    else:
        source = ""
    health = element("HealthCheckId", record.health_check_id)
    other = "".join([xml for _, xml in record.other])
    return (
        f"<ResourceRecordSet><Name>{record.name}</Name><Type>{record.type}</Type>"
        f"{policy}{source}{health}{other}</ResourceRecordSet>"
    )


def policy_xml(record: StoredRecordSet) -> str:
    """Write the set identifier and the routing fields."""
    geo = ""
    if record.geo is not None:
        tags = zip(("ContinentCode", "CountryCode", "SubdivisionCode"), record.geo, strict=True)
        geo = f"<GeoLocation>{''.join([element(tag, text) for tag, text in tags])}</GeoLocation>"
    return (
        element("SetIdentifier", record.set_id)
        + element("Weight", record.weight)
        + element("Region", record.region)
        + geo
        + element("Failover", record.failover)
        + ("<MultiValueAnswer>true</MultiValueAnswer>" if record.multivalue else "")
    )


def alias_xml(alias: AliasTo) -> str:
    """Write an alias target."""
    evaluate = "true" if alias.evaluate else "false"
    return (
        f"<AliasTarget><HostedZoneId>{alias.zone_id}</HostedZoneId><DNSName>{alias.name}</DNSName>"
        f"<EvaluateTargetHealth>{evaluate}</EvaluateTargetHealth></AliasTarget>"
    )


def element(tag: str, value: str | int | None) -> str:
    """Write an optional element."""
    return "" if value is None else f"<{tag}>{escape(str(value))}</{tag}>"


def page_xml(page: Page, max_items: int) -> bytes:
    """Write one page of a listing."""
    following = ""
    if page.following is not None:
        following = (
            element("NextRecordName", page.following.name)
            + element("NextRecordType", page.following.type)
            + element("NextRecordIdentifier", page.following.set_id)
        )
    truncated = "true" if page.following is not None else "false"
    return envelope(
        "ListResourceRecordSetsResponse",
        f"<ResourceRecordSets>{''.join([record_xml(one) for one in page.records])}"
        f"</ResourceRecordSets><IsTruncated>{truncated}</IsTruncated>{following}"
        f"<MaxItems>{max_items}</MaxItems>",
    )


def change_info_xml(change: AcceptedChange, *, insync: bool) -> str:
    """Write the state of an accepted change."""
    submitted = datetime.fromtimestamp(change.submitted_wall_s, UTC)
    stamp = submitted.strftime("%Y-%m-%dT%H:%M:%S.") + f"{submitted.microsecond // 1000:03d}Z"
    return (
        f"<ChangeInfo><Id>/change/{change.id}</Id>"
        f"<Status>{'INSYNC' if insync else 'PENDING'}</Status>"
        f"<SubmittedAt>{stamp}</SubmittedAt>{element('Comment', change.comment)}</ChangeInfo>"
    )


def envelope(tag: str, inner: str) -> bytes:
    """Wrap an answer in its document."""
    return f'{HEAD}<{tag} xmlns="{XMLNS}">{inner}</{tag}>'.encode()


def refusal_xml(refusal: Refusal, request_id: str) -> bytes:
    """Write an error answer."""
    sender = "Sender" if refusal.status < 500 else "Receiver"
    return envelope(
        "ErrorResponse",
        f"<Error><Type>{sender}</Type><Code>{refusal.code}</Code>"
        f"<Message>{escape(refusal.message)}</Message></Error>"
        f"<RequestId>{request_id}</RequestId>",
    )
