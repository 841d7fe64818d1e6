"""Which runbook page each rule of an explanation is read up in. Data only."""

from collections.abc import Mapping

PAGES: Mapping[str, str] = {
    "readable": "table-unreachable",
    "no_plan": "planner-silent",
    "frozen": "freeze-the-world",
    "foreign_table": "table-restored",
    "ahead": "table-restored",
    "foreign_owner": "fenced-out",
    "other_zone": "adopt",
    "fence": "lost-fence",
    "beyond_pin": "bad-plan",
    "observing": "adopt",
    "plan_unusable": "lost-plan",
    "claim_refused": "stale-zone",
    "guardrail": "velocity-hold",
    "held_names": "bad-name-held",
    "enactors": "stale-zone",
    "progress": "stale-zone",
}
