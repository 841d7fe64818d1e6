"""A secret of the config: stated as text, `{env: NAME}` or `{file: PATH}`, and never shown.

Neither its repr nor any error holds its text; only `reveal` does. Environment and folder come
from the validation context, so that nothing here reads the process's environment.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import PlainValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from dnsplan.runtime.regular_file import open_regular

SECRET_BYTES_MAX = 64 * 1024
FORMS = "text, {env: NAME} or {file: PATH}"
ERROR_TYPE = "secret"


class SecretText:
    """Text that shows only where it came from."""

    __slots__ = ("_text", "source")

    def __init__(self, text: str, source: str) -> None:
        """Keep a text and the words for its origin."""
        self._text = text
        self.source = source

    def reveal(self) -> str:
        """The text itself; for the call that needs it and nothing else."""
        return self._text

    def __repr__(self) -> str:
        """The origin."""
        return f"<secret from {self.source}>"

    def __eq__(self, other: object) -> bool:
        """Equal texts are equal secrets."""
        return isinstance(other, SecretText) and other._text == self._text

    def __hash__(self) -> int:
        """By text, as equality is."""
        return hash(self._text)


def read_secret(stated: object, info: ValidationInfo) -> SecretText:
    """Take a stated secret, reading environment or file; a mistake names the source only."""
    context: Mapping[str, object] = info.context or {}
    match stated:
        case str() if stated:
            return SecretText(stated, "the config")
        case {"env": str(name), **rest} if not rest:
            return _from_environment(name, context.get("environ"))
        case {"file": str(name), **rest} if not rest:
            return _from_file(name, context.get("folder"))
        case _:
            raise _mistake("something else", FORMS)


def _from_environment(name: str, environ: object) -> SecretText:
    text = environ.get(name) if isinstance(environ, Mapping) else None
    if not text:
        raise _mistake(f"no value in the environment variable {name}", "a variable that is set")
    return SecretText(text, f"environment variable {name}")


def _from_file(name: str, folder: object) -> SecretText:
    path = (folder if isinstance(folder, Path) else Path()) / name
    try:
        with open_regular(path) as file:
            text = file.read(SECRET_BYTES_MAX + 1).decode().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise _mistake(f"the file {path}: {reason}", "a readable file of text") from None
    if not text or len(text) > SECRET_BYTES_MAX:
        raise _mistake(f"the file {path} of {len(text)} bytes", f"1 to {SECRET_BYTES_MAX} bytes")
    return SecretText(text, f"file {path}")


def _mistake(found: str, allowed: str) -> PydanticCustomError:
    return PydanticCustomError(ERROR_TYPE, "{found}", {"found": found, "allowed": allowed})


Secret = Annotated[SecretText, PlainValidator(read_secret)]
