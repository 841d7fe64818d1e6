"""Makes what AWS holds in one piece small: a zone of thirty record sets takes several pages, a plan
several chunks, and a query of a few items several answers.

The limits are constants of AWS, of the adapters and of the codec; for the length of a run they are
set to sizes that these worlds outgrow.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from unittest.mock import patch

from moto.dynamodb.models import table

from dnsplan import codec
from enactor.adapters import route53

# Record sets in a page; bytes in a chunk and in the answer to a query. The last of each is AWS's.
PAGES = (7, 12, 300)
CHUNKS_BYTES = (300, 700, 350_000)
QUERIES_BYTES = (1_500, 1_000_000)


@contextmanager
def small_stores(chance: Random) -> Iterator[None]:
    """Within, limits are as drawn."""
    with (
        patch.object(route53, "PAGE_ITEMS", chance.choice(PAGES)),
        patch.object(codec, "CHUNK_BYTES_MAX", chance.choice(CHUNKS_BYTES)),
        patch.object(table, "RESULT_SIZE_LIMIT", chance.choice(QUERIES_BYTES)),
    ):
        yield
