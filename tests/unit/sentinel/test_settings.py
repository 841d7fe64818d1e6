"""What is taken from the config: the names that should answer, each with what to ask for."""

from pathlib import Path

import pytest

from dnsplan.errors import ConfigError
from dnsplan.names import Name
from dnsplan.runtime.config import Settings, load
from dnsplan.runtime.config.server_address import parse_server, server_text
from sentinel.ports import NameServer
from sentinel.rules.watched import Expected, Unwatched, WatchedName
from sentinel.settings import watching

CONFIG = """
azs: [a]
zones:
  shop:
    name: example.com
    names:
      "@": {pool: web, records: [{type: MX, values: ["10 mail.example.com."]}]}
      www: {records: [{type: CNAME, values: [example.com.]}]}
      old: {records: [{type: CNAME, values: [legacy.example.com.]}]}
      cdn: {records: [{type: CNAME, values: [d.example.net.]}]}
      near:
        records:
          - {type: A, set_id: eu, geo: {continent: EU}, values: [192.0.2.7]}
      far:
        records:
          - {type: A, set_id: eu, geo: {continent: EU}, values: [192.0.2.7]}
          - {type: A, set_id: all, geo: {country: "*"}, values: [192.0.2.8]}
      "*.app": {records: [{type: TXT, values: ["hello"]}]}
  inside:
    name: example.com
    private: true
    mode: observe
    names:
      db: {records: [{type: A, values: [10.0.0.1]}]}
pools:
  web:
    targets: [{id: a, address: 192.0.2.1}, {id: b, address: "2001:db8::1"}]
"""
APEX = Name("example.com.")


def settings(tmp_path: Path, text: str = CONFIG) -> Settings:
    """A config as it is loaded."""
    path = tmp_path / "dns.yaml"
    path.write_text(text)
    return load(path, {}).settings


def name(first: str, *expected: Expected) -> WatchedName:
    """A name of the public zone."""
    return WatchedName("shop", APEX, Name(f"{first}example.com."), expected)


def only(kind: str) -> Expected:
    """A type that is asked for as it is."""
    return Expected(kind, (kind,))


def test_every_name_is_watched_with_the_types_that_it_should_answer(tmp_path: Path) -> None:
    """Targets of both families, stated records, CNAMEs by where they lead, wildcards as such."""
    taken = watching(settings(tmp_path), ["shop", "inside"], {}).scope
    assert taken.names == (
        WatchedName(
            "inside", APEX, Name("db.example.com."), (only("A"),), recursive=True, enforced=False
        ),
        name("\\052.app.", only("TXT")),
        name("cdn.", only("CNAME")),
        name("", only("A"), only("AAAA"), only("MX")),
        name("far.", only("A")),
        name("old.", Expected("CNAME", ("A",))),
        name("www.", Expected("CNAME", ("A", "AAAA"), through=True)),
    )


def test_a_name_that_depends_on_who_asks_is_told_and_not_judged(tmp_path: Path) -> None:
    """Geolocation without a default may well be empty from here."""
    taken = watching(settings(tmp_path), ["shop"], {}).scope
    assert taken.unjudged == (
        Unwatched(
            ("shop", Name("near.example.com.")),
            "A: answered by where the client is, and nothing is stated for the rest of the world",
        ),
    )


def test_only_the_zones_that_were_asked_for_are_watched(tmp_path: Path) -> None:
    """Sharding by --zones."""
    taken = watching(settings(tmp_path), ["inside"], {})
    assert [one.label for one in taken.scope.names] == ["inside"]
    assert list(taken.zones) == ["inside"]


STATED = """
sentinel:
  name_servers: ["192.0.2.53"]
  zone_name_servers: {inside: ["127.0.0.1:5353", "[::1]:53"]}
"""


def test_name_servers_by_option_before_zone_before_all(tmp_path: Path) -> None:
    """The nearest word wins; none at all leaves them to be found."""
    stated = settings(tmp_path, CONFIG + STATED)
    everywhere, here = NameServer("192.0.2.53", 53), NameServer("127.0.0.1", 1)
    own = (NameServer("127.0.0.1", 5353), NameServer("::1", 53))
    labels = ["shop", "inside"]
    assert watching(settings(tmp_path), labels, {}).stated == {"shop": (), "inside": ()}
    stated = settings(tmp_path, CONFIG + STATED)
    assert watching(stated, labels, {}).stated == {"shop": (everywhere,), "inside": own}
    by_option = watching(stated, labels, {"": ["127.0.0.1:1"]}).stated
    assert by_option == {"shop": (here,), "inside": (here,)}
    by_label = watching(stated, labels, {"inside": ["127.0.0.1:1"]}).stated
    assert by_label == {"shop": (everywhere,), "inside": (here,)}


RESOLVERS = """
sentinel:
  resolvers: ["192.0.2.53", "198.51.100.53"]
  zone_resolvers: {shop: ["127.0.0.1:5301", "127.0.0.1:5302", "127.0.0.1:5303"]}
"""


def test_resolvers_are_for_public_zones_and_a_zone_s_own_come_first(tmp_path: Path) -> None:
    """By default nobody is asked beside a zone's own servers."""
    labels = ["shop", "inside"]
    assert watching(settings(tmp_path), labels, {}).resolvers == {"shop": (), "inside": ()}
    own = tuple(NameServer("127.0.0.1", port) for port in (5301, 5302, 5303))
    found = watching(settings(tmp_path, CONFIG + RESOLVERS), labels, {}).resolvers
    assert found == {"shop": own, "inside": ()}
    text = CONFIG + RESOLVERS.replace("shop: [", "nobody: [").replace("  zone_res", "  #")
    everywhere = (NameServer("192.0.2.53", 53), NameServer("198.51.100.53", 53))
    assert watching(settings(tmp_path, text), labels, {}).resolvers["shop"] == everywhere


RESOLVER_MISTAKES = """
sentinel:
  resolvers: ["192.0.2.53"]
  zone_resolvers:
    inside: ["192.0.2.53", "198.51.100.53"]
    shp: ["192.0.2.53", "198.51.100.53"]
    shop: ["192.0.2.53", "dns.example.com", "192.0.2.53"]
"""


def test_mistakes_about_resolvers_are_named(tmp_path: Path) -> None:
    """One alone proves nothing, nor does one that is stated twice."""
    with pytest.raises(ConfigError) as caught:
        settings(tmp_path, CONFIG + RESOLVER_MISTAKES)
    first = len(CONFIG.splitlines()) + 1
    found = [((one.line or 0) - first, one.key, one.found) for one in caught.value.problems]
    key = "sentinel.zone_resolvers"
    assert found == [
        (2, "sentinel.resolvers", "a list of 1"),
        (4, f"{key}.inside", "inside, a private zone, which has no other servers to compare with"),
        (5, f"{key}.shp", "shp, a zone that does not exist"),
        (6, f"{key}.shop[1]", 'the text "dns.example.com"'),
        (6, f"{key}.shop[2]", "192.0.2.53 a second time"),
    ]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.53", ("192.0.2.53", 53)),
        ("127.0.0.1:5353", ("127.0.0.1", 5353)),
        ("2001:db8::53", ("2001:db8::53", 53)),
        ("[2001:DB8::53]", ("2001:db8::53", 53)),
        ("[2001:db8::53]:5353", ("2001:db8::53", 5353)),
    ],
)
def test_addresses_of_name_servers(text: str, address: tuple[str, int]) -> None:
    """An IP address, with a port where it is not 53; and back again."""
    assert parse_server(text) == address
    assert parse_server(server_text(*address)) == address


@pytest.mark.parametrize(
    "text", ["", "ns1.example.com", "localhost:53", "192.0.2.1:0", "192.0.2.1:99999", "1:2:3", "[]"]
)
def test_a_name_server_is_no_host_name(text: str) -> None:
    """Who asks name servers must not need DNS to find them."""
    with pytest.raises(ValueError, match=r".*"):
        parse_server(text)


FLOOR = """
azs: [a]
guardrails: {min_targets: 3}
zones:
  shop:
    name: example.com
    names:
      multi: {pool: web}
      plain: {pool: web, routing: simple}
      weighed: {pool: web, routing: weighted}
      short: {pool: pair}
      wide: {pool: many}
  seen: {name: example.net, mode: observe, names: {multi: {pool: web}}}
pools:
  web: {targets: [ADDRESSES4]}
  pair: {targets: [ADDRESSES2]}
  many: {targets: [ADDRESSES12], guardrails: {min_targets: 12}}
"""


def test_how_many_answers_a_name_is_promised_by_its_routing(tmp_path: Path) -> None:
    """The floor of its pool, as far as one reply can show it; a zone that others write has none."""
    text = FLOOR
    for count in (12, 4, 2):
        targets = [f"{{id: t{at}, address: 192.0.2.{at + 1}}}" for at in range(count)]
        text = text.replace(f"ADDRESSES{count}]", f"{', '.join(targets)}]")
    found = watching(settings(tmp_path, text), ["shop", "seen"], {}).scope.names
    assert {(one.label, one.name.split(".")[0]): one.expected[0].least for one in found} == {
        ("shop", "multi"): 3,
        ("shop", "plain"): 3,
        ("shop", "weighed"): 1,
        ("shop", "short"): 2,
        ("shop", "wide"): 8,
        ("seen", "multi"): 1,
    }


MISTAKES = """
sentinel:
  page_within_s: 0.5
  name_servers: ["127.0.0.1:5353", "ns.example.com"]
  zone_name_servers: {shp: ["192.0.2.53"]}
  alarms:
    - {log: {}}
    - {webhook: {url: "ftp://host/secret-token"}}
    - {command: [""]}
    - {webhook: {url: "https://host/", timeout: 3}}
    - {log: {}, command: [page]}
"""


def test_every_mistake_is_named_with_its_line_and_no_secret(tmp_path: Path) -> None:
    """All at once: what was found, what is allowed."""
    with pytest.raises(ConfigError) as caught:
        settings(tmp_path, CONFIG + MISTAKES)
    first = len(CONFIG.splitlines()) + 1
    address = "an IP address, or one with a port, as 127.0.0.1:5353 or [2001:db8::53]:53"
    section = "sentinel"
    found = [(one.line, one.key, one.found, one.allowed) for one in caught.value.problems]
    assert found == [
        (
            first + 2,
            f"{section}.page_within_s",
            "the number 0.5",
            "a number of seconds from 1 to 3600",
        ),
        (first + 3, f"{section}.name_servers[1]", 'the text "ns.example.com"', address),
        (
            first + 4,
            f"{section}.zone_name_servers.shp",
            "shp, a zone that does not exist",
            "a zone's label: did you mean shop?",
        ),
        (
            first + 7,
            f"{section}.alarms[1].webhook.url",
            "no web address in the config",
            "an address that begins with https://",
        ),
        (first + 8, f"{section}.alarms[2].command[0]", "nothing", "the program to run"),
        (
            first + 9,
            f"{section}.alarms[3].webhook.timeout",
            "an unknown key timeout",
            "did you mean timeout_s?",
        ),
        (
            first + 10,
            f"{section}.alarms[4]",
            "log and command",
            "exactly one of log, sns, webhook, command",
        ),
    ]
    assert "secret-token" not in str(caught.value)
