"""Moving in from octoDNS and out to it changes no record but the fence; octoDNS itself is asked.

octoDNS writes ownership records only where its OwnershipProcessor is configured, which it is not
here; they would be TXT records that nobody states, and stay as they are.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.route53.model import StoredRecordSet
from tests.integration.daemons_stage import Daemons, daemons_stage
from tests.system.octodns.sync import NOTHING, present, sync

pytestmark = pytest.mark.system

FENCE = "_dnsplan.example.com."

WRITTEN_BY_OCTODNS = r"""
---
? ''
: - type: CAA
    value: {flags: 0, tag: issue, value: ca.example.net}
  - ttl: 60
    type: MX
    values:
    - {exchange: mail.example.com., preference: 10}
    - {exchange: mail2.example.net., preference: 20}
  - type: TXT
    values:
    - "v=spf1 -all"
    - "one \"two\" three"
'*.apps': {ttl: 30, type: CNAME, value: www.example.com.}
_sip._tcp: {type: SRV, value: {port: 5060, priority: 1, target: sip.example.com., weight: 2}}
alias:
  type: Route53Provider/ALIAS
  values:
  - {evaluate-target-health: false, name: www, type: A}
balancer:
  type: Route53Provider/ALIAS
  values:
  - evaluate-target-health: true
    hosted-zone-id: Z32O12XQLNTSW2
    name: x-1.eu-west-1.elb.amazonaws.com.
    type: A
dkim._domainkey:
  type: TXT
  value: v=DKIM1\; k=rsa\; p=KEY
mail: {type: AAAA, value: 2001:db8::1}
naptr:
  type: NAPTR
  value: {flags: u, order: 1, preference: 2, regexp: '!^.*$!sip:x@example.com!', replacement: .,
    service: E2U+sip}
sub: {type: NS, values: [ns1.example.net., ns2.example.net.]}
www: {ttl: 60, type: A, values: [192.0.2.1, 192.0.2.2]}
xn--bcher-kva: {type: A, value: 192.0.2.3}
""".replace("KEY", "k" * 400)


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemons]:
    """An empty zone on a stand-in, a folder for octoDNS, and octoDNS itself."""
    present()
    (tmp_path / "config").mkdir()
    async with daemons_stage(tmp_path, monkeypatch) as daemons:
        yield daemons


def config(stage: Daemons, names: str) -> None:
    """Write dns.yaml with these keys of the zone."""
    (stage.folder / "dns.yaml").write_text(
        "azs: [use1-az1]\naccount_requests_per_s: 900\n"
        f"zones:\n  shop:\n    name: example.com\n    id: {stage.aws.zone.zone_id}\n{names}"
    )


def records(stage: Daemons) -> list[StoredRecordSet]:
    """Everything in the zone but the fence."""
    zone = stage.aws.stand_in.route53.zone(stage.aws.zone.zone_id)
    return [one for one in zone.records() if one.name != FENCE]


def changes(said: str) -> list[str]:
    """The changes that octoDNS would make."""
    return [line for line in said.splitlines() if line.startswith("*   ")]


async def test_moving_in(stage: Daemons) -> None:
    """A zone that octoDNS wrote, read from octoDNS's own file, is adopted and planned without any
    change; after a cycle of the enactor only the fence is new, and octoDNS sees what it saw."""
    url = stage.aws.stand_in.endpoint_url
    (stage.folder / "config" / "example.com.yaml").write_text(WRITTEN_BY_OCTODNS)
    await sync(stage.folder, url, "--doit")
    before = records(stage)
    assert len(before) == 15  # 13 stated ones, NS and SOA
    # octoDNS never agrees with itself about quotes inside a text, so its own word is the measure.
    wanted = changes(await sync(stage.folder, url))

    config(stage, "    records_from: config/example.com.yaml\n")
    adopted = await stage.runbook("adopt", "shop")
    assert adopted.code == 0, adopted.err
    planned = await stage.run("planner.main:run", "dns-planner", "plan", "--json", key="planner")
    assert planned.code == 0, planned.out + planned.err
    enacted = await stage.run("enactor.main:run", "dns-enactor", "once", key="enactor")
    assert enacted.code == 0, enacted.out + enacted.err

    assert records(stage) == before
    assert stage.fence().generation == 1
    assert changes(await sync(stage.folder, url)) == wanted


NAMES = r"""
    names:
      "@":
        records:
          - {type: TXT, values: ["v=spf1 include:_spf.example.net -all", "say \"hi\"; \\ end"]}
          - {type: CAA, values: [0 issue ca.example.net]}
          - {type: MX, ttl_s: 300, values: [10 mail.example.com.]}
      "*": {records: [{type: A, values: [192.0.2.1]}]}
      a2: {records: [{type: A, values: [192.0.2.1, 192.0.2.2]}]}
      a10: {records: [{type: AAAA, values: ["2001:db8::1"]}]}
      alias: {records: [{type: A, alias: {name: a2.example.com}}]}
      bücher: {records: [{type: CNAME, values: [a2.example.com.]}]}
      _x._tcp: {records: [{type: SRV, values: [1 2 3 a2.example.com.]}]}
      long: {records: [{type: TXT, values: [LONG]}]}
      lb:
        records:
          - type: A
            alias: {name: x.eu-west-1.elb.amazonaws.com, zone_id: Z32O12XQLNTSW2}
""".replace("LONG", "x" * 600)


async def test_moving_out(stage: Daemons) -> None:
    """A zone that we wrote, exported for octoDNS, is read back by octoDNS with no difference."""
    config(stage, NAMES)
    published = await stage.run(
        "planner.main:run", "dns-planner", "plan", "--publish", key="planner"
    )
    assert published.code == 0, published.out + published.err
    enacted = await stage.run("enactor.main:run", "dns-enactor", "once", key="enactor")
    assert enacted.code == 0, enacted.out + enacted.err
    file = "config/example.com.yaml"
    words = ("export", "shop", "--format", "octodns", "--output", file)
    exported = await stage.run("runbooks.main:run", "dns-runbook", *words, key="operator")
    assert exported.code == 0, exported.err

    assert NOTHING in await sync(stage.folder, stage.aws.stand_in.endpoint_url)

    config(stage, f"    records_from: {file}\n")
    planned = await stage.run("planner.main:run", "dns-planner", "plan", key="planner")
    assert planned.code == 0, planned.out + planned.err


async def test_a_difference_would_show(stage: Daemons) -> None:
    """octoDNS says so when a record differs: the two tests above can fail."""
    (stage.folder / "config" / "example.com.yaml").write_text(
        "---\nwww: {type: A, value: 192.0.2.1}\n"
    )
    said = await sync(stage.folder, stage.aws.stand_in.endpoint_url)
    assert NOTHING not in said
    assert [line for line in changes(said) if "www.example.com." in line] != []
