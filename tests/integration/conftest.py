"""One running sandbox that the integration tests share, since each start takes some ten seconds."""

from collections.abc import Iterator

import pytest

from tests.integration.sandbox_process import RunningSandbox


@pytest.fixture(scope="session")
def demo() -> Iterator[RunningSandbox]:
    """The bundled example, converged. A test leaves it as it found it."""
    sandbox = RunningSandbox()
    try:
        sandbox.converged()
        yield sandbox
    except BaseException:
        sandbox.kill()
        raise
    else:
        assert sandbox.stop() == 0
