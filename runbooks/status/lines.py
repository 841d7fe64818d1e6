"""The status as plain lines for a pipe: greppable, one group of facts a line. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from dnsplan.runtime.status.model import Report, ZoneStatus
from dnsplan.runtime.status.verdict import Verdict


def plain_lines(report: Report, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Each zone with its fence, names and enactors, then what is unlisted, what enactors note, and
    what could not be read."""
    for zone, verdict in zip(report.status.zones, verdicts, strict=True):
        yield from zone_lines(zone, verdict)
    for one in report.unlisted:
        yield f"{one.label} unlisted {one}"
    for note in report.notes:
        yield f"{note.label} note {note.text}"
    for unread in report.unread:
        yield f"unread {unread}"


def zone_lines(zone: ZoneStatus, verdict: Verdict) -> Iterator[str]:
    """One zone; every line starts with its label, so that grep finds all of it."""
    label = zone.label
    fields = {
        "id": zone.zone_id,
        "head": zone.head,
        "applied": zone.applied,
        "last_known_good": zone.last_known_good,
        "floor": zone.floor,
        "frozen": zone.frozen,
        "pin": zone.pin,
        "ahead": zone.ahead,
    }
    yield f"{label} zone {zone.zone} {verdict.standing.value.replace(' ', '_')} {_pairs(fields)}"
    for reason in verdict.reasons:
        yield f"{label} reason {reason}"
    fence = zone.fence
    if fence is not None:
        shown = {
            "generation": fence.generation,
            "step": f"{fence.step}/{fence.steps}",
            "base": fence.base,
            "held": fence.held,
            "writer": fence.writer,
            "owner": fence.owner,
            "nonce": fence.nonce,
            "digest": fence.digest,
        }
        yield f"{label} fence {_pairs(shown)}"
    for name in zone.names or ():
        counts = {"answers": name.answers, "targets": name.targets, "healthy": name.healthy}
        yield f"{label} name {name.name} {name.type} {_pairs(counts)}"
    for one in zone.enactors or ():
        seen = {"generation": one.generation, "age_s": one.age_s, "holding": one.holding}
        yield f"{label} enactor {one.az} {_pairs(seen)}"


def _pairs(fields: Mapping[str, object]) -> str:
    return " ".join(f"{name}={_shown(value)}" for name, value in fields.items())


def _shown(value: object) -> str:
    text = "-" if value is None else str(value)
    return f'"{text}"' if " " in text else text
