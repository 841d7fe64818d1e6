"""What a daemon of the sandbox finds in its environment: the stand-in, and nothing of real AWS.

A profile, a key or an endpoint of the person who runs the sandbox must never reach a daemon, or
the demo would write to a real account. So every AWS variable goes, and the files are closed.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

REGION = "us-east-1"

# Whatever of AWS is set in a shell: a profile would be looked for in the files that are closed, a
# token belongs to another key, and an endpoint of one service goes before the one of all.
_UNSET_AWS = (
    r"""for name in $(env | sed -n 's/^\(AWS_[A-Z0-9_]*\)=.*/\1/p'); do unset "$name"; done"""
)

# A proxy that the person needs for everything else stays, and does not stand before loopback.
_PAST_PROXIES = tuple(
    f'export {name}="127.0.0.1,localhost${{{name}:+,${name}}}"' for name in ("NO_PROXY", "no_proxy")
)

# A proxy would stand between the daemons and the loopback addresses that they talk to.
_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})


def child_environment(
    outer: Mapping[str, str], *, endpoint_url: str, access_key: str
) -> dict[str, str]:
    """The outer environment without AWS settings and proxies, pointed at the stand-in.

    Each daemon has an access key id of its own, so that faults and counters can address it.
    """
    kept = {
        name: value
        for name, value in outer.items()
        if not name.startswith("AWS_") and name.lower() not in _PROXIES
    }
    return {**kept, **aws_variables(endpoint_url=endpoint_url, access_key=access_key)}


@contextmanager
def apart_from_real_aws(access_key: str) -> Iterator[None]:
    """The same for this process, as long as the block lasts: moto looks at the environment too."""
    outer = dict(os.environ)
    _become(child_environment(outer, endpoint_url="", access_key=access_key))
    try:
        yield
    finally:
        _become(outer)


def lead_this_process_to(endpoint_url: str) -> None:
    """Let clients of this process find the stand-in, now that it listens."""
    os.environ["AWS_ENDPOINT_URL"] = endpoint_url


def write_exports(file: Path, variables: Mapping[str, str]) -> None:
    """A file to source: commands in that shell then meet the stand-in and nothing of real AWS."""
    lines = [_UNSET_AWS, *_PAST_PROXIES]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    file.write_text("\n".join(lines) + "\n")


def _become(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def aws_variables(*, endpoint_url: str, access_key: str) -> dict[str, str]:
    """The AWS settings that lead to the stand-in and nowhere else."""
    return {
        "AWS_ENDPOINT_URL": endpoint_url,
        "AWS_ACCESS_KEY_ID": access_key,
        "AWS_SECRET_ACCESS_KEY": "sandbox",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
