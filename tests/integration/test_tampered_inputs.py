"""What somebody tampered with on the way to a planner: config, key file, a source's answer, DNS
packets. Each is refused or held with words that name it, and the newest plan stays."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import boto3
import dns.message
import dns.rrset
import pytest

from dnsplan.vouch import PUBLIC, SECRET, key_text, public_of
from tests.integration.planner_stage import PlannerStage, planner_stage

HIS, OURS = "203.0.113.66", ("127.0.0.11", "127.0.0.12")
ZONE = "zones:\n  shop: {name: example.com, names: {www: {pool: web, ttl_s: 30}}}\n"
STATED = (
    f"pools: {{web: {{targets: [{{id: a, address: {OURS[0]}}}, {{id: b, address: {OURS[1]}}}]}}}}\n"
)
GOOD = (
    f'{{"targets": [{{"id": "a", "address": "{OURS[0]}"}}, {{"id": "b", "address": "{OURS[1]}"}}]}}'
)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[PlannerStage]:
    """A stand-in with the table."""
    with planner_stage(tmp_path) as made:
        made.write(ZONE + STATED)
        assert made.run("init").code == 0
        yield made


def head(stage: PlannerStage) -> tuple[str, str]:
    """Which plan is the newest."""
    dynamodb = boto3.client("dynamodb", endpoint_url=stage.stand_in.endpoint_url)
    key = {"pk": {"S": "gen#shop"}, "sk": {"S": "item"}}
    item = dynamodb.get_item(TableName="dnsplan", Key=key, ConsistentRead=True)["Item"]
    return item["head"]["N"], item["head_digest"]["S"]


def test_a_tampered_config_plans_nothing(stage: PlannerStage) -> None:
    """Its mistake is named with its file, whatever else it would have changed."""
    assert stage.run("plan", "--publish").code == 0
    before = head(stage)
    sound = (stage.folder / "dns.yaml").read_text().replace(OURS[1], HIS)
    for name, tampered in {
        "cut": sound[: sound.index("targets") + 12],
        "a key that is not known": sound.replace("ttl_s", "tl_s"),
        "what moves a cursor": sound.replace("web", "w\x1b[2Jb"),
        "what would build an object": sound.replace("{pool", "!!python/object:os.x {pool"),
    }.items():
        (stage.folder / "dns.yaml").write_text(tampered)
        ended = stage.run("plan", "--publish")
        assert (ended.code, ended.out, "\x1b" in ended.err) == (2, "", False), name
        assert ended.err.startswith("dns.yaml:"), (name, ended.err)
        assert head(stage) == before, name


def test_a_tampered_key_file_signs_nothing(stage: PlannerStage) -> None:
    """Another key, half of one, and one that others may read: said, and never shown."""
    secret, other = bytes([7]) * 32, bytes([8]) * 32
    file, public = stage.folder / "planner-1.key", key_text(PUBLIC, public_of(secret))
    signing = (
        "signing:\n  keys:\n    planner-1: {of: planner, public: '" + public + "',"
        " secret: {file: planner-1.key}}\n  sign_with: {planner: planner-1}\n"
    )
    stage.write(ZONE + STATED + signing)
    file.write_text(key_text(SECRET, secret))
    file.chmod(0o600)
    assert stage.run("plan", "--publish").code == 0
    before = head(stage)
    stage.write(ZONE + STATED.replace(OURS[1], HIS) + signing)
    for text, mode, found in (
        (key_text(SECRET, other), 0o600, "another key than planner-1's"),
        (key_text(SECRET, secret)[:-9], 0o600, "no key"),
        (key_text(SECRET, secret), 0o644, "mode 0644, so others than its owner may sign with it"),
    ):
        file.write_text(text)
        file.chmod(mode)
        ended = stage.run("plan", "--publish")
        assert (ended.code, ended.out) == (2, ""), ended
        assert f"planner-1.key: {found}" in ended.err
        assert text not in ended.err
        assert head(stage) == before


TAMPERED = {
    "cut": GOOD[:-9],
    "no address": GOOD.replace(OURS[1], f"{HIS}; rm"),
    "nobody": '{"targets": []}',
    "deep": "[" * 100_000,
}


@contextmanager
def site(body: Callable[[], str]) -> Iterator[str]:
    """A web server that answers what it is told, and its address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body().encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/targets"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("form", ["command", "http"])
def test_a_tampered_answer_of_a_source_takes_nothing_away(stage: PlannerStage, form: str) -> None:
    """It is said what is wrong with it; the newest plan stays as it is."""
    answer = stage.folder / "answer.json"
    answer.write_text(GOOD)
    with site(answer.read_text) as url:
        source = {
            "command": f"{{command: {{run: [cat, '{answer}']}}}}",
            "http": f"{{http: {{url: '{url}'}}}}",
        }[form]
        stage.write(ZONE + f"pools: {{web: {{sources: [{source}]}}}}\n")
        assert stage.run("plan", "--publish").code == 0
        before = head(stage)
        for name, tampered in TAMPERED.items():
            answer.write_text(tampered)
            ended = stage.run("plan", "--publish")
            assert ended.code == 0, (name, ended)
            assert ended.err.startswith(f"pool web: sources[0] {form}"), (name, ended.err)
            assert head(stage) == before, name
            assert HIS not in ended.out, name


def test_a_first_plan_says_why_its_source_was_refused(stage: PlannerStage) -> None:
    """Beside the name that waits for it, where whoever reads the plan looks."""
    stage.write(ZONE + "pools: {web: {sources: [{file: {path: gone.json}}]}}\n")
    ended = stage.run("plan")
    waits = "waits for the first whole read of its sources: no such file or directory"
    assert waits in ended.out


class Liar(threading.Thread):
    """A name server on every target's address whose packets are tampered with."""

    def __init__(self, host: str, port: int = 0) -> None:
        """Answer well at first."""
        super().__init__()
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind((host, port))
        self.server.settimeout(0.05)
        self.port = self.server.getsockname()[1]
        self.tamper: Callable[[bytes], bytes] = lambda wire: wire
        self.ended = threading.Event()

    def run(self) -> None:
        """Answer until told to end."""
        while not self.ended.is_set():
            try:
                query, client = self.server.recvfrom(4_096)
            except TimeoutError:
                continue
            reply = dns.message.make_response(dns.message.from_wire(query))
            reply.answer.append(dns.rrset.from_text("health.example.", 30, "IN", "A", HIS))
            self.server.sendto(self.tamper(reply.to_wire()), client)
        self.server.close()


PACKETS: dict[str, Callable[[bytes], bytes]] = {
    "another id": lambda wire: bytes([wire[0] ^ 1]) + wire[1:],
    "another question": lambda wire: wire.replace(b"\x06health", b"\x06wealth"),
    "a pointer to itself": lambda wire: wire[:12] + b"\xc0\x0c" + wire[14:],
    "cut": lambda wire: wire[:-3],
}


def test_tampered_dns_packets_are_nobodys_answer(stage: PlannerStage) -> None:
    """Where every target's probe answers with such, panic ignores health, and all stay."""
    first = Liar(OURS[0])
    liars = [first, Liar(OURS[1], first.port)]
    for one in liars:
        one.start()
    try:
        health = (
            f"health: {{dns: {{name: health.example, port: {first.port}}}, interval_s: 0.4,"
            " timeout_s: 0.2, rise: 1, fall: 1}"
        )
        stage.write(ZONE + STATED.replace("targets:", f"{health}, targets:"))
        assert stage.run("plan", "--publish").code == 0
        before = head(stage)
        for name, tamper in PACKETS.items():
            for one in liars:
                one.tamper = tamper
            ended = stage.run("plan", "--publish")
            assert head(stage) == before, (name, ended)
            assert "panic" in ended.out, (name, ended)
    finally:
        for one in liars:
            one.ended.set()
        for one in liars:
            one.join()
