"""What the config says of paging is checked at the start: every mistake by its place, no secret."""

import re
from pathlib import Path

import pytest

from dnsplan.errors import ConfigError
from dnsplan.runtime.config import load

DOCS = Path(__file__).parents[3] / "docs" / "paging.md"
CONFIG = """
azs: [use1-az1]
zones:
  shop:
    name: example.com
    names: {www: {records: [{type: A, ttl_s: 60, values: [192.0.2.1]}]}}
"""
SHAPED = """
paging:
  alarms:
    - webhook:
        url: {env: HOOK}
        secret: {env: KEY}
        headers: {Authorization: "Bearer {secret}"}
        body:
          action: {by_change: {page: trigger, recovery: resolve}}
          details: ["{run}", {level: 3}]
sentinel: {heartbeat: {url: {env: HOOK}, every_s: 30}}
"""
MISTAKES = """
paging:
  alarms:
    - {webhook: {url: {env: KEY}}}
    - {webhook: {url: {env: HOOK}, body: {text: "{titel}"}}}
    - {webhook: {url: {env: HOOK}, secret: {env: KEY}}}
enactor: {heartbeat: {url: {env: KEY}}}
"""
ENVIRON = {"HOOK": "https://hooks.example.com/very-secret", "KEY": "key-0123-secret"}


def test_a_receivers_shape_is_taken_as_it_stands(tmp_path: Path) -> None:
    """Lists, numbers and mappings, with places that notices fill."""
    (tmp_path / "dns.yaml").write_text(CONFIG + SHAPED)
    settings = load(tmp_path / "dns.yaml", ENVIRON).settings
    [alarm] = settings.paging.alarms or []
    assert alarm.webhook is not None
    assert alarm.webhook.body == {
        "action": {"by_change": {"page": "trigger", "recovery": "resolve"}},
        "details": ["{run}", {"level": 3}],
    }
    assert settings.sentinel.heartbeat is not None
    assert "secret" not in repr(settings.sentinel.heartbeat.url.source)


def test_the_examples_are_taken_as_they_stand(tmp_path: Path) -> None:
    """All that docs/paging.md shows of `paging:`."""
    blocks = re.findall(r"^```yaml\n(paging:.*?)^```", DOCS.read_text(), re.DOTALL | re.MULTILINE)
    commands = []
    for block in blocks:
        (tmp_path / "dns.yaml").write_text(CONFIG + block)
        settings = load(tmp_path / "dns.yaml", ENVIRON).settings
        commands += [one.command for one in settings.paging.alarms or [] if one.command]
    assert (len(blocks), [one[0] for one in commands]) == (
        2,
        ["/usr/bin/mail", "/usr/local/bin/open-or-close"],
    )


def test_every_mistake_is_named_and_no_secret(tmp_path: Path) -> None:
    """By its key, with what was found."""
    (tmp_path / "dns.yaml").write_text(CONFIG + MISTAKES)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "dns.yaml", ENVIRON)
    assert [(one.key, one.found) for one in caught.value.problems] == [
        ("paging.alarms[0].webhook.url", "no web address in environment variable KEY"),
        ("paging.alarms[1].webhook.body", "{titel}"),
        ("paging.alarms[2].webhook.secret", "a secret for no place"),
        ("enactor.heartbeat.url", "no web address in environment variable KEY"),
    ]
    said = str(caught.value)
    assert [one for one in ("very-secret", "key-0123") if one in said] == []
