"""Random names, record sets, zones and plans for the properties; small on purpose, so that they
collide."""

from hypothesis import strategies as st

from dnsplan.names import Name, from_labels, parse_name
from dnsplan.normal import normal_form
from dnsplan.plan import Digest, Generation, NameLedger, Plan, Retirement, Waiver
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    OtherPolicy,
    RecordSet,
    Routing,
    Weighted,
    by_key,
)
from dnsplan.text import quote

ZONE = parse_name("example.com.")
OWNER = "0123456789abcdef0123456789abcdef"

labels = st.binary(min_size=1, max_size=63)
label_rows = st.lists(labels, min_size=1, max_size=20).filter(
    lambda row: sum(len(label) + 1 for label in row) + 1 <= 255
)
names = label_rows.map(from_labels)
zone_names = st.sampled_from(
    [ZONE, *(parse_name(f"{one}.example.com.") for one in ("a", "b", "*", "a.b", "x\\052y"))]
)

addresses = st.ip_addresses(v=4).map(str)
strings = st.lists(st.binary(max_size=300), min_size=1, max_size=3).map(tuple)
routings: st.SearchStrategy[Routing] = st.one_of(
    st.builds(Weighted, st.integers(0, 255)),
    st.builds(Latency, st.sampled_from(["us-east-1", "eu-west-1"])),
    st.builds(Failover, st.sampled_from(["PRIMARY", "SECONDARY"])),
    st.builds(
        Geolocation, st.sampled_from([None, "EU"]), st.sampled_from([None, "*", "CH"]), st.none()
    ),
    st.builds(Multivalue),
    st.just(OtherPolicy('{"TrafficPolicyInstanceId":"t"}')),
)


@st.composite
def record_sets(draw: st.DrawFn, *, names: st.SearchStrategy[Name] = zone_names) -> RecordSet:
    """One record set in normal form, of a few types and every routing policy."""
    record_type = draw(st.sampled_from(["A", "TXT", "CNAME"]))
    if record_type == "A":
        values = draw(st.lists(addresses, min_size=1, max_size=4, unique=True).map(tuple))
    elif record_type == "TXT":
        values = (quote(draw(strings)),)
    else:
        values = (draw(zone_names),)
    routing = draw(st.none() | routings)
    alias = (
        AliasTarget("Z1", draw(zone_names), draw(st.booleans())) if draw(st.booleans()) else None
    )
    return normal_form(
        RecordSet(
            name=draw(names),
            type=record_type,
            ttl_s=None if alias else draw(st.integers(0, 86_400)),
            values=() if alias else values,
            set_id=draw(st.sampled_from(["a", "b"])) if routing else None,
            routing=routing,
            alias=alias,
            health_check_id=draw(st.none() | st.just("hc")),
        )
    )


contents = st.lists(record_sets(), max_size=12).map(
    lambda drawn: tuple(one for _, one in sorted(by_key(drawn).items()))
)


@st.composite
def plans(
    draw: st.DrawFn, *, contents: st.SearchStrategy[tuple[RecordSet, ...]] = contents
) -> Plan:
    """A plan of the zone with any ledger, retirements and waivers."""
    ledgers = st.builds(
        NameLedger,
        zone_names,
        st.sampled_from(["A", "AAAA"]),
        st.integers(0, 9),
        st.integers(0, 9),
        st.lists(st.tuples(st.integers(0, 2**31), st.integers(1, 9)), max_size=3).map(tuple),
    )
    retirements = st.builds(
        Retirement, zone_names, st.none() | st.just("A"), st.integers(1, 9), st.just("ops")
    )
    waivers = st.builds(
        Waiver,
        st.sampled_from(["never_empty", "hands_off", "floor", "velocity", "unheard_of"]),
        st.text(max_size=9),
        st.text(max_size=9),
        st.integers(0, 9),
    )
    return Plan(
        schema=1,
        owner=OWNER,
        label="shop",
        zone=ZONE,
        generation=Generation(draw(st.integers(1, 3_000_000))),
        base=Generation(draw(st.integers(0, 3_000_000))),
        created_s=draw(st.integers(0, 2**33)),
        author=draw(st.text(max_size=9)),
        reason=draw(st.text(max_size=9)),
        content=draw(contents),
        ledger=draw(st.lists(ledgers, max_size=3).map(tuple)),
        retired=draw(st.lists(retirements, max_size=2).map(tuple)),
        waivers=draw(st.lists(waivers, max_size=3).map(tuple)),
    )


digests = st.binary(min_size=32, max_size=32).map(lambda drawn: Digest(drawn.hex()))
