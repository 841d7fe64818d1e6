"""How long from a backend's death to an answer without it, on `dns-sandbox run`, again and again.

    python benchmarks/dying_backend.py --times 50

Stops one of the bundled example's hosts, asks the DNS server until the host's address is gone,
starts it again and waits until it is back. Guardrails are opened, since a host of three may
otherwise go only each five minutes, and so is the pace: a death and a return each few seconds are
more than six plans a minute, and the next would wait for that. It prints one line a death, then
median, worst and the bound: 1.5 times (interval x fall + timeout + two poll intervals).
"""

import argparse
import contextlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import deque
from pathlib import Path

import dns.exception
import dns.message
import dns.query

from sandbox.run.demo import example_text

NAME = "example.test."
HOSTS = {"web-a": "127.0.0.11", "web-b": "127.0.0.12", "web-c": "127.0.0.13"}
# The bundled example's: probes each second, three bad ones, half a second's time-out; planner and
# enactor each look once a second.
BOUND_S = 1.5 * (1.0 * 3 + 0.5 + 1.0 + 1.0)
WITHIN_S = 120.0
# A datagram may be lost on a busy machine.
TRIES_MAX = 15
OPENED_PACE = "{interval_s: 1, max_plans_per_min: 600}"
OPENED = (
    "planner: {interval_s: 1}",
    f"guardrails: {{max_removed_share: 0.5, window_s: 1}}\nplanner: {OPENED_PACE}",
)
# Another sandbox may have the example's own.
PORT = ("port: 18080", "port: 28417")
ASK_EVERY_S = 0.02


def answers(server: tuple[str, int]) -> set[str]:
    """The addresses that the name is answered with now."""
    for _ in range(TRIES_MAX):
        query = dns.message.make_query(NAME, "A")
        with contextlib.suppress(dns.exception.Timeout):
            reply = dns.query.udp(query, server[0], port=server[1], timeout=2)
            return {one.address for found in reply.answer for one in found}
    raise TimeoutError(f"no answer from {server}")


def until(server: tuple[str, int], address: str, *, there: bool) -> float:
    """Seconds until the address is in the answer, or out of it."""
    began_s = time.monotonic()
    while (address in answers(server)) is not there:
        if time.monotonic() - began_s > WITHIN_S:
            raise TimeoutError(f"{address} is still {'out' if there else 'in'}")
        time.sleep(ASK_EVERY_S)
    return time.monotonic() - began_s


def order(control: str, verb: str, host: str) -> None:
    """Stop or start a host."""
    request = urllib.request.Request(f"{control}{verb}/{host}", method="POST")
    urllib.request.urlopen(request, timeout=10).close()


def run(times: int) -> None:
    """Start a sandbox, let hosts die, and print what was measured."""
    folder = tempfile.TemporaryDirectory()
    config = Path(folder.name) / "dns.yaml"
    config.write_text(example_text().replace(*OPENED).replace(*PORT))
    command = ["dns-sandbox", "run", "--json", "--backends", "--config", str(config)]
    sandbox = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import sys; sys.argv={command}; from sandbox.main import run; run()",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert sandbox.stdout is not None
        first = json.loads(sandbox.stdout.readline())
        # Whoever writes into a full pipe stands still, and with the sandbox its DNS server.
        threading.Thread(target=deque, args=(sandbox.stdout, 0), daemon=True).start()
        host, _, port = first["dns"].rpartition(":")
        measured = list(deaths((host, int(port)), f"{first['backends']}/", times))
    finally:
        sandbox.terminate()
        sandbox.communicate(timeout=30)
        folder.cleanup()
    worst = max(measured)
    print(f"{times} deaths: median {statistics.median(measured):.2f} s, worst {worst:.2f} s")
    print(f"bound {BOUND_S:.2f} s: {'kept' if worst <= BOUND_S else 'BROKEN'}")


def deaths(server: tuple[str, int], control: str, times: int) -> list[float]:
    """Seconds from each death to the answer without the host."""
    for address in HOSTS.values():
        until(server, address, there=True)
    measured = []
    for turn in range(times):
        name, address = list(HOSTS.items())[turn % len(HOSTS)]
        time.sleep(random.uniform(2.5, 3.5))
        order(control, "stop", name)
        measured.append(until(server, address, there=False))
        order(control, "start", name)
        print(f"{name}: gone after {measured[-1]:.2f} s, back after", end=" ", flush=True)
        print(f"{until(server, address, there=True):.2f} s", flush=True)
    return measured


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    run(parser.parse_args().times)
