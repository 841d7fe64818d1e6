"""What `dns-runbook drill` says before it starts anything."""

import subprocess

from tests.integration.sandbox_process import BIN

ENDS_WITHIN_S = 40.0


def drill(*words: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end in a pipe."""
    return subprocess.run(
        [str(BIN / "dns-runbook"), "drill", *words],
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_mistakes_say_what_there_is() -> None:
    """Exit 2, and no sandbox is started."""
    unknown = drill("fence-lots", "--rehearse")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "no failure fence-lots; there are bad-plan, evacuation," in unknown.stderr
    nobody = drill("frozen")
    assert (nobody.returncode, nobody.stdout) == (2, "")
    assert "--rehearse types the page's commands" in nobody.stderr
    listed = drill("--list")
    assert listed.returncode == 0
    assert "frozen           runbooks/freeze-the-world.md\n" in listed.stdout
