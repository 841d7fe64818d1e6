"""Operators' commands with keys, typed as an operator types them, with the daemons' own passes."""

from pathlib import Path

import pytest

from tests.pages.plays.states import API, WWW, api_at, signed, two_names
from tests.pages.room import ADDRESSES, open_room
from tests.pages.terminal import at


@pytest.mark.system
@pytest.mark.allow_hosts(ADDRESSES)
def test_every_word_is_signed_and_taken(tmp_path: Path) -> None:
    """Pin, rollback, waiver and retirement are taken by daemons that check, and a command without
    its key begins nothing; an edited file is restored only with a reason."""
    with open_room(tmp_path) as room:
        room.more = signed(room)
        two_names(room)
        room.config(WWW, api_at("192.0.2.21"))
        room.go_on()
        room.must("dns-runbook waive shop velocity --because drill --yes")
        room.config(WWW, api_at("192.0.2.22"))
        room.go_on()
        room.must("dns-runbook rollback shop 1 --pin --because drill --yes")
        room.enact()
        assert room.must("dns-runbook history shop --limit 1").lines[0].endswith("key operator-1")
        kept = room.must("dns-runbook export shop").lines
        room.must("dns-runbook unpin shop --because drill --yes")
        room.config(WWW)
        room.must("dns-runbook retire shop api --because drill --yes")
        room.enact()
        assert room.zone.sets_at("api.example.com.") == {}
        with at(tmp_path, DNSPLAN_SIGN_WITH="planner-1"):
            refused = room.must("dns-runbook pin shop 5 --because drill --yes", code=2)
        assert "planner-1; allowed: a key of: operator" in " ".join(refused.lines)
        file = tmp_path / "kept.json"
        file.write_text("\n".join(line for line in kept if line[:1] in "{} "))
        room.must("dns-runbook restore kept.json --dry-run", code=4)
        file.write_text(file.read_text().replace("192.0.2.20", "192.0.2.99"))
        said = room.must("dns-runbook restore kept.json --yes", code=3).lines
        assert "bears a signature that key operator-1 did not make" in " ".join(said)
        room.must("dns-runbook restore kept.json --yes --unsigned", code=2)
        restore = "dns-runbook restore kept.json --yes --unsigned --because read --save before.json"
        said = room.must(restore).lines
        undo = "dns-runbook restore before.json --unsigned --because"
        assert said[-1].endswith(f"to undo it: {undo} TEXT")
        assert "notice_delivered" not in " ".join(said)
        assert room.zone.sets_at("api.example.com.")["A", ""].values == ("192.0.2.99",)
        room.config(WWW, API)
        room.enact()
        room.must("dns-runbook reconcile shop --because over --yes")
