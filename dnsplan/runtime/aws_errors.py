"""What an AWS error means to us, decided in one place: failed read, missing permission, unknown.

Error codes decide, never an error's prose. What is not known to be harmless counts as unknown:
a timeout, a throttle and a 5xx may all have taken effect.
"""

import aiohttp
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
)
from botocore.parsers import ResponseParserError

from dnsplan.errors import AccessDenied, ReadFailed
from dnsplan.outcomes import Unknown

# Everything that a call through aiobotocore raises when AWS, the network or credentials fail.
# OSError holds TimeoutError; aiohttp's errors escape botocore's mapping while a body is read.
AWS_TROUBLE = (ClientError, BotoCoreError, ResponseParserError, aiohttp.ClientError, OSError)

THROTTLES = frozenset(
    {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestLimitExceeded",
        "TooManyRequestsException",
        "ProvisionedThroughputExceededException",
        "LimitExceededException",
        "PriorRequestNotComplete",
        "SlowDown",
    }
)
DENIALS = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "NotAuthorized",
        "OptInRequired",
        "RequestExpired",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
        "UnauthorizedOperation",
        "UnrecognizedClientException",
    }
)
# What AWS says of a request whose time is not its own, or of one that was signed with another key.
_OF_THE_CLOCK = frozenset(
    {
        "InvalidSignatureException",
        "RequestExpired",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
    }
)
# What to do about settings that are missing altogether.
SET_REGION = (
    "set AWS_DEFAULT_REGION, or a region in the AWS profile;"
    " for dns-sandbox run, source the file that it names"
)
NO_CREDENTIALS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError)
CONDITION_FAILED = "ConditionalCheckFailedException"
SERVER_ERROR = 500


def code_of(error: BaseException) -> str:
    """AWS's error code; the empty text when AWS did not answer."""
    if not isinstance(error, ClientError):
        return ""
    return str(error.response.get("Error", {}).get("Code", ""))


def status_of(error: BaseException) -> int:
    """The HTTP status of AWS's answer; 0 when it did not answer."""
    if not isinstance(error, ClientError):
        return 0
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def is_throttle(error: BaseException) -> bool:
    """Whether AWS said that we, or others on our account, ask too much."""
    return code_of(error) in THROTTLES


def is_denial(error: BaseException) -> bool:
    """Whether a permission or a credential is wrong."""
    return code_of(error) in DENIALS or isinstance(error, NO_CREDENTIALS)


def is_transient(error: BaseException) -> bool:
    """Whether the same read may succeed when asked again."""
    if isinstance(error, ParamValidationError) or is_denial(error):
        return False
    if isinstance(error, ClientError):
        return is_throttle(error) or status_of(error) >= SERVER_ERROR
    return isinstance(error, AWS_TROUBLE)


def in_words(error: BaseException) -> str:
    """The error in one line: code and message, or kind and text."""
    if isinstance(error, ClientError):
        message = str(error.response.get("Error", {}).get("Message", ""))
        return f"{code_of(error)}: {message}".rstrip(": ")
    return f"{type(error).__name__}: {error}".rstrip(": ")


def failed_read(error: BaseException, what: str) -> ReadFailed:
    """The error that a read adapter raises for AWS trouble."""
    if is_denial(error):
        look = "this machine's clock, and then " if code_of(error) in _OF_THE_CLOCK else ""
        return AccessDenied(
            f"{what}: {in_words(error)}; check {look}the credentials and their policy"
        )
    hint = f"; {SET_REGION}" if isinstance(error, NoRegionError) else ""
    return ReadFailed(f"{what}: {in_words(error)}{hint}")


def unknown_write(error: BaseException, what: str) -> Unknown:
    """The outcome of a write that ended in AWS trouble and was not found done; what AWS denies is
    told with what to look at, since running it again would change nothing."""
    return Unknown(str(failed_read(error, what)))
