"""Alarms for moto's CloudFormation, which has none: the template's properties become the alarm.

Importing this is enough, since moto asks for all resource types that are known when it first needs
one. An alarm begins as it would at AWS: without data where nobody counts yet, quiet where moto's
group has its machine at once.
"""

from typing import Any

from moto.cloudwatch.models import CloudWatchBackend, cloudwatch_backends
from moto.core.common_models import CloudFormationModel

COUNTED_AT_ONCE = "AWS/AutoScaling"


class StackAlarm(CloudFormationModel):
    """`AWS::CloudWatch::Alarm`."""

    def __init__(self, name: str, arn: str) -> None:
        """What references to it give."""
        self._name = name
        self._arn = arn

    @staticmethod
    def cloudformation_type() -> str:
        """The resource's type."""
        return "AWS::CloudWatch::Alarm"

    @property
    def physical_resource_id(self) -> str:
        """What `Ref` gives."""
        return self._name

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        """What `GetAtt` may ask for."""
        return attr == "Arn"

    def get_cfn_attribute(self, attribute_name: str) -> str:  # noqa: ARG002 - moto's signature
        """What `GetAtt` gives."""
        return self._arn

    @classmethod
    def create_from_cloudformation_json(
        cls,
        resource_name: str,  # noqa: ARG003 - moto's signature
        cloudformation_json: dict[str, Any],
        account_id: str,
        region_name: str,
        **kwargs: Any,  # noqa: ARG003 - moto's signature
    ) -> "StackAlarm":
        """Put it, with nothing added that the template does not state."""
        backend: CloudWatchBackend = cloudwatch_backends[account_id][region_name]
        stated = dict(cloudformation_json["Properties"])
        made = backend.put_metric_alarm(
            name=stated.pop("AlarmName"),
            namespace=stated.pop("Namespace"),
            metric_name=stated.pop("MetricName"),
            comparison_operator=stated.pop("ComparisonOperator"),
            evaluation_periods=int(stated.pop("EvaluationPeriods")),
            datapoints_to_alarm=int(stated.pop("DatapointsToAlarm")),
            period=int(stated.pop("Period")),
            threshold=float(stated.pop("Threshold")),
            statistic=stated.pop("Statistic"),
            description=stated.pop("AlarmDescription"),
            dimensions=stated.pop("Dimensions"),
            alarm_actions=stated.pop("AlarmActions"),
            ok_actions=stated.pop("OKActions"),
            treat_missing_data=stated.pop("TreatMissingData"),
            unit=stated.pop("Unit", None),
        )
        assert not stated, f"not taken over: {sorted(stated)}"
        state = "OK" if made.namespace == COUNTED_AT_ONCE else "INSUFFICIENT_DATA"
        backend.set_alarm_state(made.name, "no data yet", "{}", state)
        return cls(made.name, made.alarm_arn)
