"""One deployment for all tests that only look at it."""

import os
from collections.abc import Iterator

import pytest

from tests.deploy.stacks import Deployment, deployed


@pytest.fixture(scope="session")
def deployment() -> Iterator[Deployment]:
    """The stacks, deployed once; the environment of single tests does not reach this far."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTESTTEST")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_CONFIG_FILE", os.devnull)
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        with deployed() as made:
            yield made
