"""What a daemon of the sandbox finds in its environment: the stand-in, and nothing of real AWS.

A profile, a key or an endpoint of the person who runs the sandbox must never reach a daemon, or
the demo would write to a real account. So every AWS variable goes, and the files are closed.
"""

import os
from collections.abc import Mapping

REGION = "us-east-1"

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


def lead_this_process_to(endpoint_url: str, *, access_key: str) -> None:
    """The same for the sandbox's own clients; moto's look at the environment too."""
    inner = child_environment(os.environ, endpoint_url=endpoint_url, access_key=access_key)
    os.environ.clear()
    os.environ.update(inner)


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
