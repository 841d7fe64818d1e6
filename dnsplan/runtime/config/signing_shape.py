"""The shape of `signing:` in `dns.yaml`: whose keys count, and which key each process signs with.

Where a secret key is stands beside its public one and is read only by a process that signs with it:
an enactor's machine has none of them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PlainValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from dnsplan.runtime.config.secret import ERROR_TYPE
from dnsplan.runtime.config.section import Section
from dnsplan.vouch import PUBLIC, InvalidKey, Role, key_from

KeyId = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$",
        description="1 to 63 of a-z, 0-9, ., - and _, beginning with a letter or digit",
    ),
]


PUBLIC_FORM = f"{PUBLIC} and 32 bytes in base64, as the command keys prints it"
PLACE_FORM = "{env: NAME} or {file: PATH}, where the secret key is"


def public_key(stated: object) -> bytes:
    """A public key as text. A mistake repeats none of it: it may be the secret one."""
    if not isinstance(stated, str):
        raise _mistake("no text", PUBLIC_FORM)
    try:
        return key_from(stated, PUBLIC)
    except InvalidKey as error:
        raise _mistake(str(error).partition(";")[0], PUBLIC_FORM) from None


class KeyPlace(Section):
    """Where a secret key is, read when it is needed: an environment variable or a file."""

    env: Annotated[str, Field(min_length=1)] | None = None
    file: Path | None = None


def key_place(stated: object, info: ValidationInfo) -> KeyPlace:
    """A place; a file's is relative to the config's folder, and the key itself is never stated."""
    context: Mapping[str, object] = info.context or {}
    folder = context.get("folder")
    match stated:
        case {"env": str(name), **rest} if name and not rest:
            return KeyPlace(env=name)
        case {"file": str(name), **rest} if name and "\0" not in name and not rest:
            return KeyPlace(file=(folder if isinstance(folder, Path) else Path()) / name)
        case _:
            raise _mistake("something else", PLACE_FORM)


class KeyEntry(Section):
    """One key. Several of a kind stand beside each other while one takes over from another."""

    of: Annotated[Role, Field(strict=False)]
    public: Annotated[
        bytes,
        PlainValidator(public_key),
        Field(description=PUBLIC_FORM),
    ]
    secret: Annotated[KeyPlace, PlainValidator(key_place), Field(description=PLACE_FORM)] | None = (
        None
    )


class SignWith(Section):
    """The ids of the keys that planners and operators sign with."""

    planner: KeyId | None = None
    operator: KeyId | None = None


class SigningSection(Section):
    """Plans and operators' words are signed, and what is not signed by a listed key is held.

    `unsigned: accept` lets pass what nobody signed: while signing is being switched on, or, without
    any key, where it is left off on purpose.
    """

    keys: Annotated[dict[KeyId, KeyEntry], Field(max_length=64)] = Field(default_factory=dict)
    sign_with: SignWith = SignWith()
    unsigned: Literal["hold", "accept"] = "hold"


def _mistake(found: str, allowed: str) -> PydanticCustomError:
    return PydanticCustomError(ERROR_TYPE, "{found}", {"found": found, "allowed": allowed})
