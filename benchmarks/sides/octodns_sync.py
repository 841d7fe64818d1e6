"""One octodns-sync, run in octoDNS's own environment and measured from inside. It imports nothing
of this project.

Imports and the reading of octoDNS's own config are its start-up and not counted. Parsing the zone's
YAML is counted apart: octoDNS does it in pure Python, and it is two thirds of all.
"""

import json
import resource
import sys
import time
from typing import Any

import octodns.provider.yaml as source
from octodns.manager import Manager

parse = source.safe_load
spent_s = {"source": 0.0}


def timed(*arguments: Any, **options: Any) -> Any:  # octoDNS's own signature has no types
    """Parse as octoDNS would, and note what it cost."""
    began_s = time.process_time()
    try:
        return parse(*arguments, **options)
    finally:
        spent_s["source"] += time.process_time() - began_s


def main(config: str) -> None:
    """Sync and print what it cost; a refusal is an answer as well."""
    source.safe_load = timed
    manager = Manager(config)
    spent_s["source"] = 0.0
    start_s = time.process_time()
    error = ""
    try:
        changes = manager.sync(dry_run=False, force=True)
    except Exception as refused:  # noqa: BLE001 - whatever it says is its answer
        changes, error = 0, f"{type(refused).__name__}: {str(refused)[:400]}"
    cpu_s = time.process_time() - start_s
    answer = {
        "cpu_s": cpu_s - spent_s["source"],
        "source_cpu_s": spent_s["source"],
        "start_cpu_s": start_s,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "changes": changes,
        "error": error,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1])
