"""What `dns-runbook keys` does: make, write once, print what belongs into the config."""

import re
import sys
from pathlib import Path

from dnsplan.exits import FINE
from dnsplan.runtime.keys import write_key_file
from dnsplan.vouch import PUBLIC, key_text
from runbooks.controls.outside import Mistaken
from runbooks.controls.session import exit_code_of
from runbooks.controls.telling import tell

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")


def make_key(key_id: str, file: Path, of: str) -> int:
    """Make one key, and give the exit code."""

    def work() -> int:
        if not _ID.fullmatch(key_id):
            raise Mistaken(
                f"the id {key_id!r}; allowed: 1 to 63 of a-z, 0-9, ., - and _, beginning with a"
                " letter or digit"
            )
        public = key_text(PUBLIC, write_key_file(file))
        sys.stdout.write(
            "signing:\n  keys:\n"
            f'    {key_id}: {{of: {of}, public: "{public}", secret: {{file: {file.absolute()}}}}}\n'
            f"  sign_with: {{{of}: {key_id}}}\n"
        )
        tell(f"{file}: the secret key, for who signs alone; the lines above belong into dns.yaml")
        return FINE

    return exit_code_of(work)
