"""Run octoDNS as its users do: a config, a folder of YAML, `octodns-sync`, in an environment apart.

An octoDNS that is missing is a skip or a failure, as `tests/system/required.py` says.
"""

import asyncio
import os
from pathlib import Path

from sandbox.run.environment import child_environment
from tests.system.required import missing

PROGRAM = Path(__file__).parents[3] / "build" / "octodns" / "bin" / "octodns-sync"
ENDS_WITHIN_S = 60.0
NOTHING = "No changes were planned"

# octoDNS deletes what its files do not state, so the fence must be hidden from it.
CONFIG = r"""
processors:
  fence:
    class: octodns.processor.filter.NameRejectlistFilter
    rejectlist: [_dnsplan]
providers:
  files:
    class: octodns.provider.yaml.YamlProvider
    directory: ./config
    escaped_semicolons: true
  route53:
    class: octodns_route53.Route53Provider
    access_key_id: env/AWS_ACCESS_KEY_ID
    secret_access_key: env/AWS_SECRET_ACCESS_KEY
zones:
  example.com.:
    sources: [files]
    processors: [fence]
    targets: [route53]
"""


def present() -> Path:
    """The program, once it is installed."""
    return PROGRAM if PROGRAM.exists() else missing("octoDNS")


async def sync(folder: Path, endpoint_url: str, *words: str) -> str:
    """Run octodns-sync on the folder's config and give what it says; it must end well."""
    (folder / "octodns.yaml").write_text(CONFIG)
    process = await asyncio.create_subprocess_exec(
        present(),
        "--config-file=octodns.yaml",
        *words,
        cwd=folder,
        env=child_environment(os.environ, endpoint_url=endpoint_url, access_key="octodns"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(ENDS_WITHIN_S):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, said.decode()
    return said.decode()
