"""The units start what exists, hold it tight, and start it again; the samples are true."""

import configparser
import os
import re
import signal
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from dnsplan.runtime.config import Settings, load
from dnsplan.runtime.notify import ServiceManager
from dnsplan.runtime.telemetry import LEVEL_VARIABLE, LEVELS
from tests.deploy.stacks import ROLES, default_of
from tests.deploy.units import UNITS, command_of, daemons, read_unit, services

HARDENED = {
    "NoNewPrivileges": ["yes"],
    "CapabilityBoundingSet": [""],
    "AmbientCapabilities": [""],
    "ProtectSystem": ["strict"],
    "ProtectHome": ["yes"],
    "PrivateTmp": ["yes"],
    "PrivateDevices": ["yes"],
    "PrivateUsers": ["yes"],
    "PrivateIPC": ["yes"],
    "PrivateMounts": ["yes"],
    "ProtectClock": ["yes"],
    "ProtectControlGroups": ["yes"],
    "ProtectHostname": ["yes"],
    "ProtectKernelLogs": ["yes"],
    "ProtectKernelModules": ["yes"],
    "ProtectKernelTunables": ["yes"],
    "ProtectProc": ["invisible"],
    "ProcSubset": ["pid"],
    "DevicePolicy": ["closed"],
    "RestrictAddressFamilies": ["AF_INET AF_INET6 AF_UNIX"],
    "RestrictNamespaces": ["yes"],
    "RestrictRealtime": ["yes"],
    "RestrictSUIDSGID": ["yes"],
    "LockPersonality": ["yes"],
    "MemoryDenyWriteExecute": ["yes"],
    "RemoveIPC": ["yes"],
    "KeyringMode": ["private"],
    "SystemCallArchitectures": ["native"],
    "SystemCallFilter": ["@system-service", "~@privileged @resources"],
    "SystemCallErrorNumber": ["EPERM"],
    "UMask": ["0077"],
    "LimitCORE": ["0"],
    "Group": ["dnsplan"],
    "StateDirectoryMode": ["0700"],
    "EnvironmentFile": ["/etc/dnsplan/environment", "-/etc/dnsplan/secrets"],
}
WORDS_WITHIN_S = 30.0


def sample() -> Settings:
    """The sample config as it loads."""
    return load(UNITS / "dns.yaml.sample", {}).settings


def test_there_is_a_unit_for_each_daemon() -> None:
    """And no other."""
    assert {path.name for path in UNITS.glob("*.service")} == {
        "dns-planner@.service",
        "dns-enactor@.service",
        "dns-planner-cleanup.service",
        "dns-sentinel.service",
    }
    assert daemons() == ["dns-enactor@.service", "dns-planner@.service", "dns-sentinel.service"]


@pytest.mark.parametrize("name", services())
def test_every_service_is_held_tight(name: str) -> None:
    """Each key as it should be, and bounds on what it may use."""
    service = read_unit(name)["Service"]
    assert {key: service.get(key) for key in HARDENED} == HARDENED
    assert {"MemoryMax", "TasksMax", "LimitNOFILE"} <= set(service)
    assert not {"PermissionsStartOnly", "RootDirectoryStartOnly"} & set(service)
    run = [key for key in service if key.startswith("Exec")]
    assert not [value for key in run for value in service[key] if value[0] in "+!@-:"]


@pytest.mark.parametrize("name", services())
def test_only_the_planner_has_the_user_that_reads_its_key(name: str) -> None:
    """Nobody signs with what another daemon reads; and each user writes its own state only."""
    user = "dnsplan-planner" if name == "dns-planner@.service" else "dnsplan"
    service = read_unit(name)["Service"]
    keys = ("User", "StateDirectory", "WorkingDirectory", "ReadWritePaths")
    state = f"/var/lib/{user}"
    assert [service[key] for key in keys] == [[user], [user], [state], [state]]
    lines = (UNITS / "dnsplan.sysusers.conf").read_text().splitlines()
    homes = {line.split()[1]: line.split()[-1] for line in lines if line.startswith("u ")}
    assert homes[user] == state
    [start] = service["ExecStart"]
    stated = re.findall(r"--state-dir (\S+)", start) or [str(sample().state_dir)]
    assert stated == [state]


@pytest.mark.parametrize("name", services())
def test_every_command_exists_and_parses(name: str) -> None:
    """Its options are known; the same line with one that is not is refused."""
    command = command_of(name)
    for extra, expected in ([], 0), (["--no-such-option"], 2):
        found = subprocess.run(
            [*command, *extra, "--help"], capture_output=True, text=True, check=False, timeout=60
        )
        assert found.returncode == expected, found.stdout + found.stderr


@pytest.mark.parametrize("name", daemons())
def test_a_daemon_is_started_again_at_a_pace(name: str) -> None:
    """Always, not at once, apart from its peers; and a crash loop is never given up."""
    unit = read_unit(name)
    service, limits = unit["Service"], unit["Unit"]
    assert service["Restart"] == ["always"]
    pace_s = int(service["RestartSec"][0])
    starts_at_most = int(limits["StartLimitIntervalSec"][0]) / pace_s
    assert pace_s >= 1
    assert int(limits["StartLimitBurst"][0]) > starts_at_most
    [before] = service["ExecStartPre"]
    jitter = before.replace("$$", "$").removeprefix("/bin/sh -c ").strip("'")
    assert re.fullmatch(r'exec sleep "\$\(shuf -i 0-\d -n 1\)"', jitter)
    assert service["WatchdogSec"] == ["30"]
    assert service["NotifyAccess"] == ["main"]
    assert unit["Install"]["WantedBy"] == ["multi-user.target"]


def test_the_watchdog_is_fed_twice_in_its_time() -> None:
    """One late word is no reason to be killed."""
    for name in daemons():
        [watchdog_s] = read_unit(name)["Service"]["WatchdogSec"]
        manager = ServiceManager({"WATCHDOG_USEC": f"{watchdog_s}000000"})
        assert manager.watchdog_every_s == int(watchdog_s) / 2


def test_cleanup_is_one_pass_that_a_timer_repeats() -> None:
    """Spread over machines, after boot and after the last pass; a hold is no failure."""
    service = read_unit("dns-planner-cleanup.service")["Service"]
    timer = read_unit("dns-planner-cleanup.timer")
    assert (service["Type"], service["SuccessExitStatus"]) == (["oneshot"], ["3"])
    assert {"OnBootSec", "OnUnitInactiveSec", "RandomizedDelaySec"} <= set(timer["Timer"])
    assert timer["Install"]["WantedBy"] == ["timers.target"]


@pytest.mark.parametrize("name", daemons())
def test_a_daemon_says_that_it_is_ready_alive_and_stopping(name: str, tmp_path: Path) -> None:
    """By its unit's own command line, with nothing of AWS in reach; then it ends with 0."""
    config = tmp_path / "dns.yaml"
    config.write_text(
        f"azs: [use1-az1]\nstate_dir: {tmp_path}\nzones: {{shop: {{name: example.com, "
        "names: {www: {records: [{type: A, ttl_s: 60, values: [192.0.2.1]}]}}}}\n"
        "sentinel: {name_servers: ['127.0.0.1:9'], alarms: [{log: {}}]}\n"
    )
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "n"))
        manager.settimeout(WORDS_WITHIN_S)
        environ = {
            **os.environ,
            "NOTIFY_SOCKET": str(tmp_path / "n"),
            "WATCHDOG_USEC": "400000",
            "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        }
        process = subprocess.Popen(
            command_of(name, config), env=environ, cwd=tmp_path, stderr=subprocess.DEVNULL
        )
        try:
            words = [manager.recv(100).decode() for _ in range(4)]
            # The watchdog may be heard first: both are said as soon as the loop turns.
            assert Counter(words) == {"READY=1": 1, "WATCHDOG=1": 3}
            process.send_signal(signal.SIGTERM)
            deadline_s = time.monotonic() + WORDS_WITHIN_S
            while (word := manager.recv(100).decode()) == "WATCHDOG=1":
                assert time.monotonic() < deadline_s, "it does not say that it is stopping"
            assert word == "STOPPING=1"
            assert process.wait(WORDS_WITHIN_S) == 0
        finally:
            process.kill()
            process.wait()


def test_the_sample_config_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It loads, names the stack's table and the units' state, and writes nothing at first."""
    settings = sample()
    assert settings.table == default_of("table", "TableName")
    assert {zone.mode for zone in settings.zones.values()} == {"observe"}


def test_the_sample_environment_is_one() -> None:
    """Known names with known values, and no credentials."""
    lines = (UNITS / "environment.sample").read_text().splitlines()
    stated = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert set(stated) == {"AWS_DEFAULT_REGION", LEVEL_VARIABLE}
    assert stated[LEVEL_VARIABLE] in LEVELS


def test_every_unit_takes_its_own_role() -> None:
    """Its profile is in the sample, and names the role that the stack makes for it."""
    profiles = configparser.ConfigParser()
    profiles.read(UNITS / "aws.sample")
    taken = set()
    for name in services():
        environment = dict(line.split("=", 1) for line in read_unit(name)["Service"]["Environment"])
        assert environment["AWS_CONFIG_FILE"] == "/etc/dnsplan/aws"
        taken.add(environment["AWS_PROFILE"])
    roles = {ROLES[who] for who in ("planner", "enactor", "cleanup", "sentinel")}
    assert taken == roles
    assert {
        section.removeprefix("profile "): profiles[section]["role_arn"].rpartition("/")[2]
        for section in profiles.sections()
    } == {role: role for role in roles}
