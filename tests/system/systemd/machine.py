"""A machine of one AZ in a folder: its user data run, its units started as systemd would.

The folder stands for `/`: every path of units, environment and config is led into it, and nothing
else of them is changed. What only a real machine has is stood in for: the package manager, the
AWS command that fetches, cfn-signal, and the metadata service that gives credentials. As on the
default image, python3 is 3.9, and a newer one is there only once its package is installed.
"""

import hashlib
import json
import os
import shlex
import socket
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.deploy.units import BIN, Unit, parse_unit

PROJECT = Path(__file__).parents[3]
LED_INSIDE = ("/etc/dnsplan", "/var/lib/dnsplan", "/opt/dnsplan")
READY_WITHIN_S = 60.0
STOPS_WITHIN_S = 50.0
MACHINE_KEY = "AKIAMACHINEMACHINE01"

# What a Python says of its version, asked by `-c`; the code itself is run.
VERSION = f"""[ "$1" != -c ] ||
exec {sys.executable} -c "import sys; sys.version_info = VERSION; $2"
"""
# Makes environments that take the release, which is installed here already.
PYTHON_3_11 = VERSION.replace("VERSION", "(3, 11, 9)") + (
    f'mkdir -p "$3/bin"; ln -sf {BIN}/dns-* "$3/bin"; ln -sf /bin/true "$3/bin/python"'
)
# Makes environments too, whose pip refuses the release.
PYTHON_3_9 = VERSION.replace("VERSION", "(3, 9, 20)") + (
    'mkdir -p "$3/bin"; ln -sf /bin/false "$3/bin/python"'
)
STUBS = {
    "dnf": """echo "dnf $*" >>"$SAID"
case " $* " in *" python3.11 "*) mv "$STUBS/not-yet-python3.11" "$STUBS/python3.11";; esac
""",
    # aws s3 cp --only-show-errors FROM TO; aws ssm get-parameter ... --name NAME:VERSION ...
    "aws": """echo "aws $*" >>"$SAID"
[ "$1" != s3 ] || exec cp "$BUCKET/${4##*/}" "$5"
while [ "$1" != --name ]; do shift; done
[ -e "$BUCKET$2" ] || { echo "An error occurred (ParameterNotFound): $2" >&2; exit 254; }
cat "$BUCKET$2"
""",
    # The users of the units are a real machine's; the mode is what the file has until it is theirs.
    "chown": 'echo "chown $* $(stat -c %a "$2")" >>"$SAID"; env >>"$SAID.environment"',
    "cfn-signal": 'echo "cfn-signal $*" >>"$SAID"',
    "python3": PYTHON_3_9,
    "not-yet-python3.11": PYTHON_3_11,
}


class Metadata(BaseHTTPRequestHandler):
    """The machine's credentials, by a token only."""

    def do_PUT(self) -> None:
        """A token."""
        self._say("token")

    def do_GET(self) -> None:
        """The role's name, then its credentials."""
        if self.headers.get("X-aws-ec2-metadata-token") != "token":
            self.send_error(401)
        elif self.path.endswith("/security-credentials/"):
            self._say("dnsplan-machine")
        else:
            self._say(
                json.dumps(
                    {
                        "Code": "Success",
                        "AccessKeyId": MACHINE_KEY,
                        "SecretAccessKey": "not-a-secret",
                        "Token": "not-a-token",
                        "Expiration": "2099-01-01T00:00:00Z",
                    }
                )
            )

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def _say(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


@contextmanager
def metadata_service() -> Iterator[str]:
    """Where the machine's credentials are given."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Metadata) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def release(bucket: Path, config: str) -> dict[str, str]:
    """Put a release and a config where machines fetch them; the stack's parameters for them."""
    bucket.mkdir()
    with tarfile.open(bucket / "1.tar.gz", "w:gz") as bundle:
        bundle.add(PROJECT / "deploy", "deploy")
    (bucket / "dns.yaml").write_text(config)
    digests = {
        name: hashlib.sha256((bucket / name).read_bytes()).hexdigest()
        for name in ("1.tar.gz", "dns.yaml")
    }
    return {
        "Bundle": "s3://releases/dnsplan/1.tar.gz",
        "BundleSha256": digests["1.tar.gz"],
        "Config": "s3://releases/dnsplan/dns.yaml",
        "ConfigSha256": digests["dns.yaml"],
    }


class Machine:
    """One AZ's. `surroundings`: what the machine is told of where AWS is, and nothing else."""

    def __init__(self, az: str, root: Path, surroundings: Mapping[str, str]) -> None:
        """Nothing is on it yet."""
        self.az = az
        self.root = root / az
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self._surroundings = dict(surroundings)
        for state in ("dnsplan", "dnsplan-planner"):
            (self.root / "var/lib" / state).mkdir(parents=True)

    def boot(self, user_data: str, bucket: Path) -> str:
        """Run the user data as cloud-init would; what it told CloudFormation."""
        done = self.try_to_boot(user_data, bucket)
        assert done.returncode == 0, done.stdout + done.stderr
        config = self.root / "etc/dnsplan/dns.yaml"
        config.write_text(self._inside(config.read_text()))
        return (self.root / "said").read_text()

    def try_to_boot(
        self, user_data: str, bucket: Path, **more: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run the user data, whatever becomes of it; what programs were asked stands in `said`."""
        stubs = self.root / "stubs"
        stubs.mkdir(exist_ok=True)
        for name, text in STUBS.items():
            (stubs / name).write_text(f"#!/bin/sh\n{text}\n")
            (stubs / name).chmod(0o755)
        user_data = user_data.replace("/opt/aws/bin/cfn-signal", "cfn-signal")
        return subprocess.run(
            ["bash", "-c", user_data],
            env={
                "PATH": f"{stubs}:/usr/bin:/bin",
                "ROOT": str(self.root),
                "BUCKET": str(bucket),
                "SAID": str(self.root / "said"),
                "STUBS": str(stubs),
                "TMPDIR": str(self.root),
                **more,
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def start(self, unit: str) -> None:
        """Start a daemon and wait until it says that it is ready, as `Type=notify` does."""
        service = self._unit(unit)["Service"]
        address = self.root / f"{unit}.notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(address))
            manager.settimeout(READY_WITHIN_S)
            process = self._spawn(unit, service, {"NOTIFY_SOCKET": str(address)})
            self.running[unit] = process
            words = {manager.recv(100).decode()}
            while "READY=1" not in words:
                words.add(manager.recv(100).decode())
        address.unlink()

    def run_once(self, unit: str) -> int:
        """Run a unit of one pass to its end."""
        return self._spawn(unit, self._unit(unit)["Service"], {}).wait(READY_WITHIN_S)

    def stop(self) -> dict[str, int]:
        """End all with SIGTERM; the exit codes."""
        for process in self.running.values():
            process.terminate()
        return {unit: process.wait(STOPS_WITHIN_S) for unit, process in self.running.items()}

    def kill(self) -> None:
        """Leave nothing behind."""
        for process in self.running.values():
            process.kill()
            process.wait()

    def log(self, unit: str) -> str:
        """What a unit has said."""
        return (self.root / f"{unit}.log").read_text()

    def _unit(self, name: str) -> Unit:
        """A unit as installed, with the AZ as its instance's name."""
        template = name.replace(f"@{self.az}.", "@.")
        return parse_unit((self.root / "etc/systemd/system" / template).read_text())

    def _spawn(
        self, unit: str, service: dict[str, list[str]], more: Mapping[str, str]
    ) -> "subprocess.Popen[bytes]":
        """Its command line, environment and limits, and nothing of this process'."""
        files = [Path(self._inside(one.removeprefix("-"))) for one in service["EnvironmentFile"]]
        texts = [one.read_text() for one in files if one.exists()]
        lines = [*service["Environment"], *"\n".join(texts).splitlines()]
        stated = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
        fed_s = service.get("WatchdogSec", [None])[0]
        watchdog = {} if fed_s is None else {"WATCHDOG_USEC": f"{fed_s}000000"}
        environment = {
            "PATH": os.defpath,
            **{name: self._inside(text) for name, text in stated.items()},
            **self._surroundings,
            **watchdog,
            **more,
        }
        command = self._inside(service["ExecStart"][0].replace("%i", self.az)).split()
        limits = (
            f"ulimit -n {service['LimitNOFILE'][0]}; ulimit -c {service['LimitCORE'][0]}; "
            f"umask {service['UMask'][0]}; exec {shlex.join(command)}"
        )
        with (self.root / f"{unit}.log").open("wb") as log:
            return subprocess.Popen(
                ["/bin/sh", "-c", limits],
                env=environment,
                cwd=self._inside(service["WorkingDirectory"][0]),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def _inside(self, text: str) -> str:
        for path in LED_INSIDE:
            text = text.replace(path, f"{self.root}{path}")
        return text
