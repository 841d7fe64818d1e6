"""One message to people about one page, as text and as facts for programs."""

from collections.abc import Mapping

from dnsplan.names import Name
from dnsplan.notices import LEAD, Change, Notice
from sentinel.rules.dossier import Dossier, Evidence, explained
from sentinel.rules.paging import Turn
from sentinel.rules.wording import body, commands, moment, recovered, runbook, title


def notice(turn: Turn, dossier: Dossier, *, now_s: float) -> Notice:
    """Write one message."""
    page = turn.page
    subject = page.subject
    if turn.change is Change.RECOVERY:
        what = recovered(subject, dossier)
        lines = [f"It was paged at {moment(page.opened_s)}."]
    elif turn.change is Change.FOLDED:
        what = title(page, dossier)
        ended = f"It is part of {_page_id(turn)} now; this page has ended."
        lines = [ended, *(f"run: {one}" for one in commands(subject))]
    else:
        what = title(page, dossier)
        lines = [
            *body(page, dossier),
            "",
            *(f"run: {one}" for one in commands(subject)),
            f"read: runbooks/{runbook(subject.kind)}.md",
        ]
    text = "\n".join([f"{LEAD[turn.change]}: {what}", f"id: {subject.page_id}", *lines, ""])
    facts = _facts(turn, what, dossier, now_s)
    return Notice(subject.page_id, turn.change, what, text, now_s, facts)


def _page_id(turn: Turn) -> str | None:
    return None if turn.into is None else turn.into.page_id


def _facts(turn: Turn, title: str, dossier: Dossier, now_s: float) -> Mapping[str, object]:
    subject = turn.page.subject
    evidence = dossier.evidence.get((subject.label, Name(subject.name)), Evidence())
    return {
        "id": subject.page_id,
        "change": str(turn.change),
        "into": _page_id(turn),
        "kind": str(subject.kind),
        "title": title,
        "label": subject.label or None,
        "name": subject.name or None,
        "verdict": [
            {"type": one.type, "finding": str(one.finding), "partly": one.partly}
            for one in explained(turn.page.ailments, evidence.opinions)
        ],
        "names": [{"label": label, "name": name} for label, name in turn.page.covered],
        "last_good": {
            kind: {
                "values": list(good.values),
                "earlier": list(good.earlier),
                "ttl_s": good.ttl_s,
                "seen_s": good.seen_s,
            }
            for kind, good in sorted(evidence.last_good.items())
        },
        "opened_s": turn.page.opened_s,
        "at_s": now_s,
        "run": list(commands(subject)),
        "runbook": runbook(subject.kind),
    }
