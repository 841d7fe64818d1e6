"""The deployments that all tests share who only look at them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.deploy.stacks import RECORD_NAMES, Deployment, deployed


@pytest.fixture(scope="session")
def deployment() -> Iterator[Deployment]:
    """The stacks as they are by default, deployed once."""
    with _outside_of_tests(), deployed() as made:
        yield made


@pytest.fixture(scope="session")
def named() -> Iterator[Deployment]:
    """The same with the names that may be written, deployed once."""
    with _outside_of_tests(), deployed(RecordNames=",".join(RECORD_NAMES)) as made:
        yield made


@contextmanager
def _outside_of_tests() -> Iterator[None]:
    """The environment of single tests does not reach as far as a session."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTESTTEST")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_CONFIG_FILE", os.devnull)
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        yield
