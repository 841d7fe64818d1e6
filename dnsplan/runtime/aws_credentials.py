"""What clients sign with: sought when a client is opened, and again where there is none or AWS
refuses it.

The SDK asks for credentials once a client. A daemon that starts before its machine knows any would
then have none for ever, and one whose keys are written anew into a file would sign with the old
ones until somebody restarts it. And what it raises of a clock that goes wrong, or of half a file,
is no error of its own kind: here it is credentials that cannot be had, which end no daemon.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from botocore.exceptions import CredentialRetrievalError, NoCredentialsError

from dnsplan.runtime.aws_errors import AWS_TROUBLE

# Looking for credentials may take the machine's metadata service a second or two.
SOUGHT_AGAIN_S = 5.0
REFUSED = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)

Found = TypeVar("Found")


class SoughtCredentials:
    """One identity's credentials, as the SDK asks for them. `seek` gives the SDK's own, or None."""

    method = "sought"

    def __init__(self, seek: Callable[[], Awaitable[Any]]) -> None:
        """Nothing is sought yet."""
        self._seek = seek
        self._lock = asyncio.Lock()
        self._found: Any = None
        self._is_refused = False
        self._sought_s: float | None = None
        self._trouble: BaseException = NoCredentialsError()

    async def load_credentials(self) -> "SoughtCredentials":
        """The component's word for it; what is not to be had now is sought again when needed."""
        with suppress(*AWS_TROUBLE):
            await self._known()
        return self

    async def get_frozen_credentials(self) -> Any:
        """What the next request is signed with."""
        return await _told((await self._known()).get_frozen_credentials())

    async def get_account_id(self) -> str | None:
        """The account, where the credentials tell it."""
        account_id = (await self._known()).get_account_id()
        if isinstance(account_id, Awaitable):
            account_id = await _told(account_id)
        return None if account_id is None else str(account_id)

    def get_deferred_property(self, _name: str) -> Callable[[], Awaitable[str | None]]:
        """The one property that the SDK asks for later: the account, for endpoints of its own."""
        return self.get_account_id

    def hear(self, parsed: Mapping[str, Any], **_: Any) -> None:
        """Hear an answer: one that refuses the credentials has them sought again."""
        if parsed.get("Error", {}).get("Code") in REFUSED:
            self._is_refused = True

    async def _known(self) -> Any:
        async with self._lock:
            if self._is_due(asyncio.get_running_loop().time()):
                await self._look()
        if self._found is None:
            raise self._trouble
        return self._found

    def _is_due(self, now_s: float) -> bool:
        if self._found is not None and not self._is_refused:
            return False
        if self._sought_s is not None and now_s - self._sought_s < SOUGHT_AGAIN_S:
            return False
        self._sought_s = now_s
        return True

    async def _look(self) -> None:
        """Those that were refused stay until there are others: they may be right again."""
        try:
            found = await _told(self._seek())
        except AWS_TROUBLE as error:
            self._trouble = error
            return
        if found is not None:
            self._found, self._is_refused = found, False


async def _told(asked: Awaitable[Found]) -> Found:
    try:
        return await asked
    except AWS_TROUBLE:
        raise
    except Exception as error:
        # The SDK's only RuntimeError here is for credentials that are expired when they come.
        hint = "; check this machine's clock" if isinstance(error, RuntimeError) else ""
        why = f"{type(error).__name__}: {error}{hint}"
        raise CredentialRetrievalError(provider="the AWS environment", error_msg=why) from error
