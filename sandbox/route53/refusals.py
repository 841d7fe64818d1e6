"""The errors Route 53 answers with: code, status and words. Nothing else leaves this package.

Refusal
    InvalidInput            the request is malformed
    InvalidChangeBatch      the batch is well-formed and cannot be applied; lists every reason
    NoSuchHostedZone, NoSuchChange, NoSuchHealthCheck
    HostedZoneAlreadyExists, HostedZoneNotEmpty
    PriorRequestNotComplete another change of this zone is still being processed
    Throttling              the account's request rate is spent
"""

from collections.abc import Sequence


class Refusal(Exception):
    """An error answer, with the code clients switch on."""

    code = "InternalError"
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidInput(Refusal):
    """The request is malformed."""

    code = "InvalidInput"


class InvalidChangeBatch(Refusal):
    """The batch cannot be applied; nothing of it was."""

    code = "InvalidChangeBatch"

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__("[" + ", ".join(messages) + "]")
        self.messages = tuple(messages)


class NoSuchHostedZone(Refusal):
    """No zone has that id."""

    code = "NoSuchHostedZone"
    status = 404

    def __init__(self, zone_id: str) -> None:
        super().__init__(f"No hosted zone found with ID: {zone_id}")


class NoSuchChange(Refusal):
    """No change has that id, or the service has forgotten it."""

    code = "NoSuchChange"
    status = 404

    def __init__(self, change_id: str) -> None:
        super().__init__(f"Could not find resource with ID: {change_id}")


class NoSuchHealthCheck(Refusal):
    """A record set names a health check that does not exist."""

    code = "NoSuchHealthCheck"
    status = 404

    def __init__(self, health_check_id: str) -> None:
        super().__init__(f"A health check with id {health_check_id} does not exist.")


class HostedZoneAlreadyExists(Refusal):
    """The caller reference was used before."""

    code = "HostedZoneAlreadyExists"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            "A hosted zone has already been created with the specified caller reference."
        )


class HostedZoneNotEmpty(Refusal):
    """Only NS and SOA may be left when a zone is deleted."""

    code = "HostedZoneNotEmpty"

    def __init__(self) -> None:
        super().__init__(
            "The specified hosted zone contains non-required resource record sets and so cannot be"
            " deleted."
        )


class PriorRequestNotComplete(Refusal):
    """Another change of this zone is still being processed."""

    code = "PriorRequestNotComplete"

    def __init__(self) -> None:
        super().__init__(
            "The request was rejected because Route 53 was still processing a prior request."
        )


class Throttling(Refusal):
    """The account's request rate is spent."""

    code = "Throttling"

    def __init__(self) -> None:
        super().__init__("Rate exceeded")
