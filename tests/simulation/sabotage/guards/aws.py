"""Guards of the adapters: every setting of a request is stated, and it is sent once."""

from tests.simulation.sabotage.sabotage import Edit, Sabotage, Seeds

SABOTAGES = (
    Sabotage(
        name="skip ConsistentRead",
        breaks=("P1", "P4", "P5", "P9", "P10"),
        search=Seeds(most=6, stack=True),
        edits=(
            Edit(
                "dnsplan.runtime.table",
                "Key=key_of(label), ConsistentRead=True",
                "Key=key_of(label), ConsistentRead=False",
            ),
            Edit("dnsplan.runtime.dynamodb", '"ConsistentRead": True', '"ConsistentRead": False'),
        ),
    ),
    Sabotage(
        name="leave the SDK's retries on",
        breaks=("P11",),
        search=Seeds(most=6, stack=True),
        edits=(Edit("dnsplan.runtime.aws", '"total_max_attempts": 1', '"total_max_attempts": 3'),),
    ),
)
