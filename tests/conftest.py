"""What every test needs: none sees the AWS settings, profiles or credentials of this machine, and
properties are tried alike everywhere: repeatable in CI, with no deadline, since time is noise."""

import os
import sys
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

settings.register_profile(
    "dev", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True)
settings.register_profile("night", settings.get_profile("dev"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(autouse=True)
def _own_log() -> Iterator[None]:
    """How a test has events logged is no other test's."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture(autouse=True)
def _no_aws_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave only dummy credentials and one region in the AWS environment."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTESTTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    if boto3 := sys.modules.get("boto3"):
        # Its default session keeps the credentials of whichever test asked first.
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
