"""The wheel, installed outside the tree: it holds all that runs and needs nothing of the tree."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMANDS = ("dns-enactor", "dns-planner", "dns-runbook", "dns-sandbox", "dns-sentinel")
PACKAGES = {"dnsplan", "planner", "enactor", "sentinel", "runbooks", "sandbox"}


class Installed:
    """An environment of its own that has the wheel, and our dependencies but not our tree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wheel = self._build()
        self.bin = folder / "venv" / "bin"
        self._install()

    def run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment, from a folder that is not the tree's."""
        clean = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [str(self.bin / command), *arguments],
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
            cwd=self.folder,
            env=clean,
        )

    def _build(self) -> Path:
        out = self.folder / "dist"
        build = [sys.executable, "-m", "build", "--no-isolation", "--wheel"]
        checked([*build, "--outdir", str(out), str(ROOT)])
        return next(out.glob("dnsplan-*.whl"))

    def _install(self) -> None:
        venv = self.folder / "venv"
        checked([sys.executable, "-m", "venv", "--without-pip", str(venv)])
        python = str(self.bin / "python")
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
        checked([*pip, "--no-deps", "--no-index", "--no-compile", str(self.wheel)])
        # Paths that a .pth adds are not searched for .pth files of their own, so an editable
        # install of the tree beside our dependencies stays out.
        ours = next(venv.glob("lib/python*/site-packages"))
        (ours / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")


def checked(command: list[str]) -> None:
    """Run a tool that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, built and installed once."""
    return Installed(tmp_path_factory.mktemp("wheel"))


def test_it_holds_the_six_packages_with_their_data_and_no_tests(installed: Installed) -> None:
    """Nothing of the tests, the docs or a cache is shipped."""
    names = zipfile.ZipFile(installed.wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES
    assert "sandbox/run/example.yaml" in names
    assert {name for name in names if name.endswith("py.typed")} == {
        f"{package}/py.typed" for package in PACKAGES
    }
    assert not [name for name in names if "__pycache__" in name or "test" in Path(name).name]


def test_the_code_that_runs_is_the_wheels(installed: Installed) -> None:
    """Not the tree's, which the same interpreter could reach."""
    done = installed.run("python", "-c", "import dnsplan, sandbox; print(dnsplan.__file__)")
    assert done.stdout.startswith(str(installed.folder)), done.stdout + done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_answers(installed: Installed, command: str) -> None:
    """Each console command of the project is there and explains itself."""
    done = installed.run(command, "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Usage: {command}")
    assert "Commands:" in done.stdout


def test_every_console_command_is_tried_here() -> None:
    """A command that is added is added to these tests."""
    scripts = metadata.distribution("dnsplan").entry_points.select(group="console_scripts")
    assert {script.name for script in scripts} == set(COMMANDS)


def test_the_main_job_runs(installed: Installed) -> None:
    """Stand-in, planner, enactors and all, far from the tree, until converged."""
    done = installed.run("dns-sandbox", "run", "--until-converged", "--json")
    assert done.returncode == 0, done.stderr
    zone = json.loads(done.stdout)["zones"][0]
    assert zone["head"] == zone["applied"] == 1
