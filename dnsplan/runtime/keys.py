"""Keys of the config: whose word counts, and the one that this process signs with.

A secret key is read at start by the process that signs and by no other. A file that others may
read is refused, since what they can read they can sign with.
"""

import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

import structlog

from dnsplan.errors import ConfigError, Problem
from dnsplan.ports import PlanArchive
from dnsplan.runtime.config.signing_shape import KeyPlace, SigningSection
from dnsplan.runtime.regular_file import open_regular
from dnsplan.runtime.vouched_archive import VouchedArchive
from dnsplan.runtime.whole_file import NotWritten
from dnsplan.vouch import (
    KEY_BYTES,
    SECRET,
    InvalidKey,
    Keyring,
    ListedKey,
    Role,
    Signer,
    key_from,
    key_text,
    public_of,
)

KEY_FILE_BYTES_MAX = 4_096
SIGN_WITH_VARIABLE = "DNSPLAN_SIGN_WITH"
SECRET_FORM = f"{SECRET} and 32 bytes in base64, as the command keys writes it"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class NoKey(ConfigError):
    """This process has to sign and cannot: what is wrong with which key."""

    def __init__(self, where: str, found: str, allowed: str) -> None:
        """Where the key is named or kept; no part of a secret key is ever in `found`."""
        super().__init__((Problem(where, None, "", found, allowed),))


def keyring_of(section: SigningSection | None) -> Keyring:
    """Whose word counts."""
    if section is None:
        return Keyring()
    listed = {key_id: ListedKey(key.of, key.public) for key_id, key in section.keys.items()}
    return Keyring(listed, takes_unsigned=section.unsigned == "accept")


def signer_of(
    section: SigningSection | None, role: Role, environ: Mapping[str, str]
) -> Signer | None:
    """What a planner or an operator signs with, None where signing is off; or NoKey.

    An operator's environment may name another key of operators, so that each tier has its own.
    """
    if section is None or not section.keys:
        return None
    if role is Role.OPERATOR:
        named = environ.get(SIGN_WITH_VARIABLE) or section.sign_with.operator
        where = f"signing.sign_with.operator, or {SIGN_WITH_VARIABLE}"
    else:
        named, where = section.sign_with.planner, "signing.sign_with.planner"
    if named is None:
        raise NoKey(where, "nothing", "the id of a key to sign with, since keys are listed")
    key = section.keys.get(named)
    if key is None or key.of is not role or key.secret is None:
        able = [one for one, each in section.keys.items() if each.of is role and each.secret]
        shown = ", ".join(sorted(able)) or "none is listed"
        raise NoKey(where, f"{named}", f"a key of: {role} with a secret: ({shown})")
    return Signer(named, role, _secret_of(named, key.public, key.secret, environ))


def key_troubles(section: SigningSection, environ: Mapping[str, str]) -> Mapping[str, Problem]:
    """Of the listed keys whose secret is within reach here, those that nobody could sign with."""
    found: dict[str, Problem] = {}
    for key_id, key in section.keys.items():
        if key.secret is None or not _is_here(key.secret, environ):
            continue
        try:
            _secret_of(key_id, key.public, key.secret, environ)
        except NoKey as error:
            (found[key_id],) = error.problems
    return found


def _is_here(place: KeyPlace, environ: Mapping[str, str]) -> bool:
    """Most machines have no secret, or may not read it; that is as it should be."""
    if place.env is not None:
        return bool(environ.get(place.env))
    return os.access(place.file or Path(), os.R_OK)


def _secret_of(key_id: str, public: bytes, place: KeyPlace, environ: Mapping[str, str]) -> bytes:
    secret = secret_key(place, environ)
    if public_of(secret) != public:
        raise NoKey(_words(place), f"another key than {key_id}'s", "the secret key of it")
    return secret


def secret_key(place: KeyPlace, environ: Mapping[str, str]) -> bytes:
    """A secret key from where it is, or NoKey; no error repeats a part of it."""
    text = environ.get(place.env, "") if place.env is not None else _text(place)
    if not text:
        raise NoKey(_words(place), "nothing", SECRET_FORM)
    try:
        return key_from(text.strip(), SECRET)
    except InvalidKey as error:
        raise NoKey(_words(place), str(error).partition(";")[0], SECRET_FORM) from None


def write_key_file(path: Path) -> bytes:
    """Make a key, write the secret one to a file that is not there yet, and give the public one."""
    secret = secrets.token_bytes(KEY_BYTES)
    try:
        place = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError as error:
        raise NoKey(f"file {path}", "it is there already", "a new file") from error
    except OSError as error:
        raise NotWritten(f"{path}: {(error.strerror or str(error)).lower()}") from error
    try:
        with open(place, "w", encoding="ascii") as file:  # noqa: PTH123 - born with its mode
            file.write(f"{key_text(SECRET, secret)}\n")
    except OSError as error:
        path.unlink(missing_ok=True)  # half a key would keep the next try from its file
        raise NotWritten(f"{path}: {(error.strerror or str(error)).lower()}") from error
    return public_of(secret)


def vouched(
    archive: PlanArchive, section: SigningSection | None, signer: Signer | None
) -> PlanArchive:
    """The archive as it is, or, where keys are listed, with signatures."""
    keyring = keyring_of(section)
    return VouchedArchive(archive, keyring, signer) if keyring.checks else archive


def warn_where_off(section: SigningSection | None, name: str) -> None:
    """Say at start that whoever may write the table decides what names answer. `unsigned: accept`
    without keys is somebody's decision, and silent."""
    if section is None:
        structlog.get_logger(name).warning(
            "signing_off",
            reason="signing: is not stated, so plans and operators' words are not signed",
            command="dns-runbook keys planner-1 planner-1.key",
        )
    elif section.keys and section.unsigned == "accept":
        structlog.get_logger(name).warning(
            "unsigned_accepted", reason="signing.unsigned: accept; unsigned plans are not held"
        )


def _text(place: KeyPlace) -> str:
    path = place.file or Path()
    try:
        with open_regular(path) as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & _OTHERS:
                found = f"mode {mode:04o}, so others than its owner may sign with it"
                allowed = f"0600 or 0400 (chmod 0600 {path}), and a new key where others had it"
                raise NoKey(_words(place), found, allowed)
            raw = file.read(KEY_FILE_BYTES_MAX + 1)
    except OSError as error:
        found = (error.strerror or str(error)).lower()
        raise NoKey(_words(place), found, "a readable file with a secret key") from error
    if len(raw) > KEY_FILE_BYTES_MAX:
        raise NoKey(_words(place), f"more than {KEY_FILE_BYTES_MAX} bytes", SECRET_FORM)
    return raw.decode(errors="replace")


def _words(place: KeyPlace) -> str:
    return f"file {place.file}" if place.env is None else f"environment variable {place.env}"
