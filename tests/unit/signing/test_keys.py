"""Keys: made once, kept from others, and each mistake is said without repeating a secret."""

import asyncio
import json
import os
import resource
import sys
from pathlib import Path

import pytest

from dnsplan.errors import ConfigError
from dnsplan.formats.planfile import PlanFile, read_plan_file, write_plan_file
from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.keys import NoKey, key_troubles, keyring_of, signer_of, write_key_file
from dnsplan.runtime.whole_file import NotWritten
from dnsplan.signing import kept_file
from dnsplan.vouch import PUBLIC, SECRET, Role, key_text, public_of
from runbooks.controls.outside import Mistaken, Operator, Refused
from runbooks.restoring.vouching import doubt_of, page_unsigned, refuse_doubtful
from tests.fakes.world import a
from tests.unit.signing.hands import ANN_KEY, PLANNER, SignedWorld

SHORT = """\
azs: [az1]
zones: {{shop: {{name: example.com, names: {{www: {{records: [{{type: TXT, values: [a]}}]}}}}}}}}
{signing}
"""
PUBLIC_KEY = key_text(PUBLIC, public_of(PLANNER.secret))
SECRET_KEY = key_text(SECRET, PLANNER.secret)
OPERATOR_KEY = key_text(PUBLIC, public_of(ANN_KEY.secret))
KEYS = f"""\
signing:
  keys:
    planner-1: {{of: planner, public: "{PUBLIC_KEY}", secret: {{file: planner.key}}}}
    change-1: {{of: operator, public: "{OPERATOR_KEY}", secret: {{env: CHANGE_KEY}}}}
  sign_with: {{planner: planner-1, operator: change-1}}
"""


def settings(folder: Path, signing: str = KEYS) -> Settings:
    """A config with these lines."""
    path = folder / "dns.yaml"
    path.write_text(SHORT.format(signing=signing))
    return load(path, {}).settings


def mistake(folder: Path, signing: str) -> str:
    """What is wrong with them."""
    with pytest.raises(ConfigError) as raised:
        settings(folder, signing)
    return str(raised.value).replace(f"{folder}/", "")


def test_a_config_is_read_without_any_secret(tmp_path: Path) -> None:
    """An enactor's machine has none: only who signs looks where it is."""
    keyring = keyring_of(settings(tmp_path).signing)
    assert (keyring.checks, keyring.takes_unsigned) == (True, False)
    assert keyring.keys["planner-1"].role is Role.PLANNER
    assert not keyring_of(settings(tmp_path, "").signing).checks
    assert not keyring_of(settings(tmp_path, "signing: {unsigned: accept}").signing).checks


def test_who_signs_reads_one_secret(tmp_path: Path) -> None:
    """A planner from a file that is its own, an operator from the environment."""
    section = settings(tmp_path).signing
    file = tmp_path / "planner.key"
    file.write_text(f"{SECRET_KEY}\n")
    file.chmod(0o600)
    assert signer_of(section, Role.PLANNER, {}) == PLANNER
    environ = {"CHANGE_KEY": key_text(SECRET, ANN_KEY.secret)}
    assert signer_of(section, Role.OPERATOR, environ) == ANN_KEY
    assert signer_of(None, Role.OPERATOR, environ) is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_a_file_that_others_may_use_is_refused(tmp_path: Path, mode: int) -> None:
    """What they can read they can sign with."""
    section = settings(tmp_path).signing
    file = tmp_path / "planner.key"
    file.write_text(SECRET_KEY)
    file.chmod(mode)
    with pytest.raises(NoKey) as raised:
        signer_of(section, Role.PLANNER, {})
    assert str(raised.value).startswith(f"file {file}: mode 0{mode:o}, so others than its owner")


def test_a_pipe_is_no_key_file(tmp_path: Path) -> None:
    """Nobody waits for whoever might write into it."""
    file = tmp_path / "planner.key"
    os.mkfifo(file, 0o600)
    with pytest.raises(NoKey, match=f"file {file}: not a regular file; allowed: a readable file"):
        signer_of(settings(tmp_path).signing, Role.PLANNER, {})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "nothing"),
        (PUBLIC_KEY, "a public key"),
        (SECRET_KEY[:-4], "no key"),
        (SECRET_KEY.replace("=", ""), "no key"),
        (OPERATOR_KEY.replace(PUBLIC, SECRET), "another key than change-1's"),
        ("x" * 99, "no key"),
    ],
)
def test_a_wrong_secret_is_said_and_not_shown(tmp_path: Path, text: str, found: str) -> None:
    """Nor is any part of it."""
    section = settings(tmp_path).signing
    with pytest.raises(NoKey) as raised:
        signer_of(section, Role.OPERATOR, {"CHANGE_KEY": text})
    said = str(raised.value)
    assert said.startswith(f"environment variable CHANGE_KEY: {found}; allowed: ")
    assert SECRET_KEY[20:30] not in said


def test_keys_within_reach_are_tried_as_who_signs_tries_them(tmp_path: Path) -> None:
    """One that is elsewhere is no trouble here; one that others may read is, in the same words."""
    section = settings(tmp_path).signing
    assert section is not None
    assert key_troubles(section, {}) == {}
    file = tmp_path / "planner.key"
    file.write_text(f"{SECRET_KEY}\n")
    file.chmod(0o600)
    assert key_troubles(section, {"CHANGE_KEY": key_text(SECRET, ANN_KEY.secret)}) == {}
    file.chmod(0o644)
    with pytest.raises(NoKey) as raised:
        signer_of(section, Role.PLANNER, {})
    found = key_troubles(section, {"CHANGE_KEY": SECRET_KEY})
    assert list(found) == ["planner-1", "change-1"]
    assert str(found["planner-1"]) == str(raised.value)
    assert "another key than change-1's" in str(found["change-1"])


def test_an_operators_tier_names_its_own_key(tmp_path: Path) -> None:
    """By the environment; a planner's key is none, and one that is not listed neither."""
    section = settings(tmp_path).signing
    for named in ("planner-1", "glass-1"):
        with pytest.raises(NoKey, match=r"DNSPLAN_SIGN_WITH: .*; allowed: a key of: operator"):
            signer_of(section, Role.OPERATOR, {"DNSPLAN_SIGN_WITH": named})
    unnamed = settings(tmp_path, KEYS.partition("  sign_with")[0]).signing
    with pytest.raises(
        NoKey, match=r"signing.sign_with.planner: nothing; allowed: the id of a key"
    ):
        signer_of(unnamed, Role.PLANNER, {})


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    """A file that is there is not written over; the public part fits the secret one."""
    file = tmp_path / "planner.key"
    public = write_key_file(file)
    assert file.stat().st_mode & 0o777 == 0o600
    kept = file.read_text()
    with pytest.raises(NoKey, match="it is there already; allowed: a new file"):
        write_key_file(file)
    assert file.read_text() == kept
    lines = KEYS.replace(PUBLIC_KEY, key_text(PUBLIC, public))
    made = signer_of(settings(tmp_path, lines).signing, Role.PLANNER, {})
    assert made is not None
    assert public_of(made.secret) == public


def test_a_key_that_the_disk_had_no_room_for_leaves_no_file(tmp_path: Path) -> None:
    """The next try makes it: half a key would have been there already."""
    file = tmp_path / "planner.key"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(NotWritten, match=r"planner\.key: file too large"):
            write_key_file(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert write_key_file(file)


@pytest.mark.parametrize(
    ("signing", "said"),
    [
        ("signing: {}", "3: signing.keys: nothing; allowed: a key, or unsigned: accept where"),
        (
            f'signing: {{keys: {{p: {{of: planner, public: "{SECRET_KEY}"}}}}}}',
            "3: signing.keys.p.public: a secret key; allowed: ed25519: and 32 bytes in base64",
        ),
        (
            KEYS.replace("{file: planner.key}", SECRET_KEY),
            "5: signing.keys.planner-1.secret: something else; allowed: {env: NAME} or",
        ),
        (
            KEYS.replace("planner: planner-1,", "planner: change-1,"),
            "7: signing.sign_with.planner: change-1, a key of: operator; allowed: a key of",
        ),
        (
            KEYS.replace("operator: change-1}", "operator: change-2}"),
            "7: signing.sign_with.operator: change-2, a key that is not listed; allowed: a key of",
        ),
        (
            KEYS.replace(", secret: {file: planner.key}", ""),
            "7: signing.sign_with.planner: planner-1, without secret:; allowed: a key whose",
        ),
        (
            KEYS.replace(OPERATOR_KEY, PUBLIC_KEY),
            "6: signing.keys.change-1.public: the key of planner-1; allowed: a new key",
        ),
        ("signing: {unsigned: maybe}", '3: signing.unsigned: the text "maybe"'),
    ],
)
def test_a_mistake_is_said_at_its_place(tmp_path: Path, signing: str, said: str) -> None:
    """With what is allowed, and no secret in it."""
    found = mistake(tmp_path, signing)
    assert f"dns.yaml:{said}" in found
    assert SECRET_KEY[20:30] not in found


async def exported() -> PlanFile:
    """A signed plan as export writes it and restore reads it."""
    world = SignedWorld()
    await world.publish(a("www.example.com", "192.0.2.1"))
    envelope = await world.archive.load((await world.item()).head_id)
    return read_plan_file(write_plan_file(kept_file(envelope)), "shop.json")


async def test_a_signed_file_is_restored_and_an_edited_one_is_not(tmp_path: Path) -> None:
    """Only --unsigned with a reason takes that, or a file that nobody signed."""
    settings(tmp_path)
    config, told = tmp_path / "dns.yaml", list[str]()
    file = await exported()
    assert doubt_of(file, config, {}, told.append)[0] is None
    text = write_plan_file(file)
    edited = read_plan_file(text.replace("192.0.2.1", "192.0.2.66"), "f")
    doubt, _ = doubt_of(edited, config, {}, told.append)
    assert doubt == "bears a signature that key planner-1 did not make"
    with pytest.raises(Refused, match=r"did not make; nothing was changed.*--unsigned --because"):
        refuse_doubtful(Path("shop.json"), doubt, unsigned=False, because="")
    with pytest.raises(Mistaken, match="--unsigned: no reason"):
        refuse_doubtful(Path("shop.json"), doubt, unsigned=True, because="")
    refuse_doubtful(Path("shop.json"), doubt, unsigned=True, because="read")
    assert told == []


async def test_without_a_config_nobodys_signature_is_checked(tmp_path: Path) -> None:
    """Which is said: on the worst day there is a file, and nothing else."""
    told = list[str]()
    nowhere = {"DNSPLAN_CONFIG": str(tmp_path / "gone.yaml")}
    assert doubt_of(await exported(), None, nowhere, told.append) == (None, None)
    assert told == [
        "no config is found, so nobody knows whose signature counts: the file is not checked"
    ]


async def test_a_config_with_mistakes_vouches_for_nobody(tmp_path: Path) -> None:
    """It may be the one that lists other keys."""
    (tmp_path / "dns.yaml").write_text("azs: nothing\n")
    doubt, _ = doubt_of(await exported(), tmp_path / "dns.yaml", {}, print)
    assert doubt is not None
    assert doubt.startswith("cannot be checked, since the config has mistakes:")


async def test_who_goes_on_without_a_signature_is_paged(tmp_path: Path) -> None:
    """Through the sinks of the config, with who, which file and why."""
    page = tmp_path / "page.json"
    script = f"import sys, pathlib; pathlib.Path({str(page)!r}).write_text(sys.stdin.read())"
    command = json.dumps([sys.executable, "-c", script])
    lines = f"{KEYS}paging: {{alarms: [{{command: {command}}}]}}\n"
    stated, file = settings(tmp_path, lines), await exported()
    async with asyncio.timeout(20):
        await page_unsigned(stated, file, "is not signed", Operator("ann", "read it"), {})
    said = page.read_text()
    assert "unsigned-restore/shop" in said
    assert "zone shop: ann restores a plan file that nobody vouches for" in said
    assert "because: read it" in said
