"""Defaults of files: whose word stands before whose, and mistakes said once."""

from pathlib import Path

from dnsplan.runtime.config import load
from tests.unit.dnsplan.config.folders import AZS, problems, write, zone


def test_defaults(tmp_path: Path) -> None:
    """A zone's own word stands before its file's defaults, and those before the main file's;
    guardrails are filled key by key."""
    main = "defaults: {ttl_s: 10, mode: observe, guardrails: {min_targets: 2, window_s: 60}}\n"
    file = write(
        tmp_path,
        dns=AZS
        + "include: [a.yaml]\n"
        + main
        + "zones:\n  own: "
        + zone("own.test", "ttl_s: 1, guardrails: {window_s: 9}, ")
        + "\n  plain: "
        + zone("plain.test")
        + "\n",
        a="defaults: {ttl_s: 20, drift: hold, private: true}\nzones:\n  a: "
        + zone("a.test")
        + "\n",
    )
    zones = load(file, {}).settings.zones
    seen = {label: (one.ttl_s, one.mode, one.drift, one.private) for label, one in zones.items()}
    assert seen == {
        "own": (1, "observe", "repair", False),
        "plain": (10, "observe", "repair", False),
        "a": (20, "observe", "hold", True),
    }
    limits = [zones[label].guardrails for label in ("own", "a")]
    assert [(one.min_targets, one.window_s) for one in limits if one] == [(2, 9), (2, 60)]


def test_mistakes_in_defaults_are_said_once(tmp_path: Path) -> None:
    """However many zones they are for, and without harm to the other defaults."""
    zones = "zones:\n" + "".join(f"  z{n}: " + zone(f"z{n}.test") + "\n" for n in range(3))
    main = AZS + "include: [a.yaml]\ndefaults: {ttl_s: x, name: y}\n" + zones
    included = "defaults: {mode: dry}\nzones:\n  a: " + zone("a.test") + "\n"
    assert problems(write(tmp_path, dns=main, a=included)) == [
        'a.yaml:1: defaults.mode: the text "dry"; allowed: enforce or observe',
        (
            "dns.yaml:3: defaults.name: an unknown key name; allowed: one of drift, guardrails,"
            " mode, private, role_arn, ttl_s"
        ),
        (
            'dns.yaml:3: defaults.ttl_s: the text "x"; allowed: a whole number of seconds from 0 to'
            " 2147483647"
        ),
    ]
