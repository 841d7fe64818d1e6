"""Route 53 is asked where the account is: the partitions of AWS know nothing of each other."""

import pytest

from dnsplan.runtime.aws import AwsClients


@pytest.mark.parametrize(
    ("region", "endpoint"),
    [
        (None, "https://route53.amazonaws.com"),
        ("eu-west-1", "https://route53.amazonaws.com"),
        ("cn-north-1", "https://route53.amazonaws.com.cn"),
        ("us-gov-east-1", "https://route53.us-gov.amazonaws.com"),
    ],
)
async def test_route53_is_that_of_the_regions_partition(
    monkeypatch: pytest.MonkeyPatch, region: str | None, endpoint: str
) -> None:
    """Credentials of China are none elsewhere, and every request would be refused."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    if region is not None:
        monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    async with AwsClients().open("route53") as client:
        assert client.meta.endpoint_url == endpoint
