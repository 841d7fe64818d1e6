"""Where the careless system keeps its plans, and the DynamoDB item that it trusts as a lock.

The check is a real conditional write, not a read that hopes: it proves that a plan was the newest
at that moment, and nothing of the moment in which Route 53 is written.
"""

from typing import Any

from botocore.exceptions import ClientError

from sandbox.incident.careless.plans import CarelessPlan

TABLE = "careless"
LOCK = "applied"
PLAN = "plan#"


class CarelessShelf:
    """Plans and the lock, in one table."""

    def __init__(self, client: Any) -> None:
        """Keep a DynamoDB client; the SDK's clients have no types of their own."""
        self._client = client

    async def make(self) -> None:
        """Make the table."""
        await self._client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        )

    async def put(self, plan: CarelessPlan) -> None:
        """Store a plan."""
        item = {
            "pk": {"S": f"{PLAN}{plan.number}"},
            "number": {"N": str(plan.number)},
            "created_s": {"N": str(plan.created_s)},
            "addresses": {"L": [{"S": address} for address in plan.addresses]},
        }
        await self._client.put_item(TableName=TABLE, Item=item)

    async def plans(self) -> tuple[CarelessPlan, ...]:
        """Every plan there is, oldest first."""
        answer = await self._client.scan(TableName=TABLE, ConsistentRead=True)
        found = [
            CarelessPlan(
                number=int(item["number"]["N"]),
                created_s=int(item["created_s"]["N"]),
                addresses=tuple(one["S"] for one in item["addresses"]["L"]),
            )
            for item in answer["Items"]
            if item["pk"]["S"].startswith(PLAN)
        ]
        return tuple(sorted(found, key=lambda plan: plan.number))

    async def drop(self, plan: CarelessPlan) -> None:
        """Forget a plan."""
        await self._client.delete_item(TableName=TABLE, Key={"pk": {"S": f"{PLAN}{plan.number}"}})

    async def is_newest(self, plan: CarelessPlan) -> bool:
        """The check: note the plan as applied if none newer was noted; whether it was."""
        try:
            await self._client.update_item(
                TableName=TABLE,
                Key={"pk": {"S": LOCK}},
                UpdateExpression="SET #n = :n",
                ConditionExpression="attribute_not_exists(#n) OR #n <= :n",
                ExpressionAttributeNames={"#n": "number"},
                ExpressionAttributeValues={":n": {"N": str(plan.number)}},
            )
        except ClientError as error:
            if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
                return False
            raise
        return True
