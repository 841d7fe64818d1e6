"""A private zone is watched through the resolver that its clients have, and what that keeps."""

import asyncio
from pathlib import Path

import pytest

from tests.integration.sentinel_process import record, sentinel_stage
from tests.system.dns.programs import resolver

pytestmark = pytest.mark.system

PAGE_WITHIN_S = 12.0
TTL_S = 3
WAIT_S = 60.0
INSIDE = f"""
  inside:
    name: example.com
    private: true
    names:
      db: {{records: [{{type: A, ttl_s: {TTL_S}, values: [10.0.0.5]}}]}}
      www: {{records: [{{type: CNAME, ttl_s: {TTL_S}, values: [db.example.com.]}}]}}
"""
DB = record("db.example.com", "10.0.0.5", ttl_s=TTL_S)
WWW = record("www.example.com", "db.example.com", kind="CNAME", ttl_s=TTL_S)


async def test_a_private_name_pages_through_a_caching_resolver(tmp_path: Path) -> None:
    """Within the promise and the TTL for which the resolver keeps what is gone; quiet before."""
    async with sentinel_stage(tmp_path, INSIDE, page_within_s=PAGE_WITHIN_S) as stage:
        await asyncio.to_thread(stage.change, "inside", ("CREATE", DB), ("CREATE", WWW))
        async with resolver(stage.world.private.port, tmp_path) as port:
            option = ("--name-server", f"inside=127.0.0.1:{port}")
            async with stage.sentinel(*option):
                await asyncio.sleep(5.0)
                assert stage.heard.told() == []
                await asyncio.to_thread(stage.change, "inside", ("DELETE", DB))
                deleted_s = asyncio.get_running_loop().time()
                for name, finding in (("db", "nxdomain"), ("www", "dangling")):
                    page_id = f"empty-name/inside/{name}.example.com."
                    paged_s, page = await stage.heard.until_told("page", page_id, WAIT_S)
                    assert paged_s - deleted_s < PAGE_WITHIN_S + TTL_S
                    assert [one["finding"] for one in page["verdict"]] == [finding]
            code, said = await stage.check(*option)
            assert code == 1
            assert {one["name"]: one["well"] for one in said["names"]} == {
                "db.example.com.": False,
                "www.example.com.": False,
            }
