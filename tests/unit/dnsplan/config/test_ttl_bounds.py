"""Every TTL that a file states is within the bounds of its zone, or is said at its own line."""

from pathlib import Path

from tests.unit.dnsplan.config.texts import said

CONFIG = """\
azs: [use1-az1]
guardrails: {ttl_min_s: 30}
zones:
  shop:
    name: example.com
    guardrails: {ttl_max_s: 100}
    names:
      a:
        ttl_s: 29
        records: [{type: A, values: [192.0.2.1]}]
      b:
        records:
          - {type: A, ttl_s: 101, values: [192.0.2.1]}
          - {type: TXT, ttl_s: 100, values: [x]}
    records_from: [more.zone]
  wide:
    name: example.net
    ttl_s: 5000
    names: {a: {records: [{type: A, values: [192.0.2.1]}]}}
"""


def test_each_ttl_out_of_bounds_is_said_at_its_line(tmp_path: Path) -> None:
    """Of a name, of a record, and of a records file; the bounds are the zone's before all's."""
    (tmp_path / "more.zone").write_text("$ORIGIN example.com.\n\nc 7 IN A 192.0.2.1\n")
    allowed = "allowed: 30 to 100 s, ttl_min_s and ttl_max_s of the zone's guardrails"
    assert said(tmp_path, CONFIG) == [
        f"dns.yaml:9: zones.shop.names.a.ttl_s: the number 29; {allowed}",
        f"dns.yaml:13: zones.shop.names.b.records[0].ttl_s: the number 101; {allowed}",
        f'more.zone:3: zones.shop.names."c.example.com.".records[0].ttl_s: the number 7; {allowed}',
    ]
