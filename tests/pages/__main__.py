"""Follow the runbook pages by hand.

python -m tests.pages                   all pages; says what differs
python -m tests.pages freeze-the-world  some of them
python -m tests.pages --write [PAGE]... put what was printed into the pages that differ
"""

import sys
import tempfile
from pathlib import Path

from tests.pages.page import Differs, pages, rewritten
from tests.pages.playing import follow_in
from tests.pages.plays import PLAYS


def main(words: list[str]) -> int:
    """The number of pages that differ and were not written."""
    writes, wanted, wrong = "--write" in words, {one for one in words if one[0] != "-"}, 0
    for page in pages():
        if wanted and page.stem not in wanted:
            continue
        wrong += not one_page(page, writes=writes)
    return wrong


def one_page(page: Path, *, writes: bool) -> bool:
    """Follow one page; whether it is right now."""
    text = page.read_text()
    try:
        with tempfile.TemporaryDirectory() as folder:
            followed = follow_in(Path(folder), PLAYS[page.stem])
    except (AssertionError, Differs, KeyError) as broken:
        sys.stdout.write(f"{page.stem}: {broken!s}\n")
        return False
    if not followed.differences:
        sys.stdout.write(f"{page.stem}: as it is shown\n")
        return True
    sys.stdout.write(f"{page.stem}:\n" + "\n".join(followed.differences) + "\n")
    if writes:
        page.write_text(rewritten(text, followed.printed))
    return writes


sys.exit(main(sys.argv[1:]))
