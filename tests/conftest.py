"""What every test needs: no test sees the AWS settings, profiles or credentials of this machine."""

import os
import sys

import pytest


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
