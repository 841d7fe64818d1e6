"""Ed25519 keys and signatures: who may vouch for what, and whether somebody did. Pure.

Keys have ids, since several are listed while one takes over from another. A planner's key signs
plans and what probes find; an operator's signs plans and every other word. Nothing that is secret
shows itself in a repr. The library is loaded where it is used: most commands sign nothing.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from dnsplan.errors import DnsplanError, visible

KEY_BYTES = 32
SIGNATURE_BYTES = 64
PUBLIC, SECRET = "ed25519:", "ed25519-secret:"


class InvalidKey(DnsplanError):
    """The text is no key of the kind that is wanted."""


class Role(StrEnum):
    """Whose key it is."""

    PLANNER = "planner"
    OPERATOR = "operator"


ANYBODY = frozenset(Role)
OPERATORS = frozenset({Role.OPERATOR})
PLANNERS = frozenset({Role.PLANNER})


class Vouch(Struct, frozen=True, array_like=True, gc=False):
    """A signature, and the id of the key that is said to have made it; both empty: unsigned."""

    key_id: str = ""
    signature: bytes = b""


NOBODY = Vouch()


@dataclass(frozen=True, slots=True)
class ListedKey:
    """A public key of the config."""

    role: Role
    public: bytes


@dataclass(frozen=True, slots=True)
class Keyring:
    """Whose word counts. Without any key nothing is checked; `takes_unsigned` lets what nobody
    signed pass, while signing is being switched on, and nothing that a stranger signed."""

    keys: Mapping[str, ListedKey] = field(default_factory=dict)
    takes_unsigned: bool = False

    @property
    def checks(self) -> bool:
        """Whether signing is switched on."""
        return bool(self.keys)

    def doubt(self, vouch: Vouch, message: bytes, roles: frozenset[Role]) -> str | None:
        """Why nobody of these roles vouches for a message, as the end of a sentence; else None."""
        if not self.checks:
            return None
        if vouch == NOBODY:
            return None if self.takes_unsigned else "is not signed"
        shown = visible(vouch.key_id)
        key = self.keys.get(vouch.key_id)
        if key is None:
            return f"is signed by key {shown}, which the config does not list"
        if key.role not in roles:
            (needed, *_) = sorted(roles)
            return f"is signed by key {shown} of a {key.role}, and only a key of {needed}s may"
        if not _verifies(key.public, vouch.signature, message):
            return f"bears a signature that key {shown} did not make"
        return None


UNCHECKED = Keyring()


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs with one key."""

    key_id: str
    role: Role
    secret: bytes = field(repr=False)

    def sign(self, message: bytes) -> Vouch:
        """The same message is signed alike each time."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        made = Ed25519PrivateKey.from_private_bytes(self.secret).sign(message)
        return Vouch(self.key_id, made)


def public_of(secret: bytes) -> bytes:
    """The public key that belongs to a secret one."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def key_text(prefix: str, raw: bytes) -> str:
    """A key as it stands in a config or a key file."""
    return prefix + b64encode(raw).decode()


def key_from(text: str, prefix: str) -> bytes:
    """A key's 32 bytes, or InvalidKey; a secret one is never repeated in the error."""
    other = PUBLIC if prefix == SECRET else SECRET
    if text.startswith(other) and not text.startswith(prefix):
        found = "a public key" if other == PUBLIC else "a secret key"
        raise InvalidKey(f"{found}; allowed: one that begins with {prefix}")
    raw = b""
    if text.startswith(prefix):
        try:
            raw = b64decode(text.removeprefix(prefix), validate=True)
        except ValueError:
            raw = b""
    if len(raw) != KEY_BYTES or key_text(prefix, raw) != text:
        raise InvalidKey(f"no key; allowed: {prefix} and {KEY_BYTES} bytes in base64")
    return raw


def vouch_text(vouch: Vouch) -> str | None:
    """A vouch as one text of the generation item; None where nobody signed."""
    return None if vouch == NOBODY else f"{vouch.key_id}:{vouch.signature.hex()}"


def vouch_from(text: str | None) -> Vouch:
    """What `vouch_text` wrote; what cannot be read has no signature that could be anybody's."""
    if text is None:
        return NOBODY
    key_id, _, digits = text.rpartition(":")
    try:
        return Vouch(key_id, bytes.fromhex(digits))
    except ValueError:
        return Vouch(key_id, b"")


def _verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True
