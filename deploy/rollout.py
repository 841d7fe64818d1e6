"""Rolls the stacks out in order, one availability zone at a time, and stops when an alarm rings.

It makes or updates stacks and waits; it never deletes one, and never touches a DNS record. Before
an AZ and for a bake time after it, the alarms have to be quiet; a ring, a stack that fails or one
that takes too long stops the roll-out, and the AZs that are not yet reached stay as they are. Only
where no AZ stands yet may they ring before it, since nobody counts there.
Run it with Python 3.11 or newer that has boto3; the same command again goes on where it stopped.
"""

import argparse
import math
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - what people type python3 for may be older
    sys.exit("rollout.py needs Python 3.11 or newer, as `../.venv/bin/python rollout.py`")
# As a script this file is of no package, and would find its neighbour by no name that tests use.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from deploy.rolling import Patience, Rollout, Stopped
from deploy.stack_order import FIRST, steps

STACKS = Path(__file__).parent / "stacks"
LOOK_EVERY_S = 15.0
EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED, EXIT_INTERRUPTED = 1, 2, 3, 130


class Usage(Exception):
    """An option that says nothing usable; nothing was asked or changed."""


def main(arguments: Sequence[str]) -> int:
    """Read the options, roll out, and give the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        shared, azs = stated(options.set), subnets(options.az)
    except Usage as wrong:
        parser.error(str(wrong))  # ends with EXIT_USAGE
    try:
        import boto3
        from botocore.exceptions import BotoCoreError, ClientError
    except ModuleNotFoundError as missing:
        sys.stderr.write(f"failed: {missing}; {sys.executable} -m pip install boto3\n")
        return EXIT_FAILED

    patience = Patience(options.bake_min * 60.0, options.look_every_s, time.time, time.sleep)
    try:
        Rollout(
            boto3.client("cloudformation"),
            boto3.client("cloudwatch"),
            patience,
            template=lambda name: (STACKS / f"{name}.yaml").read_text(),
            watched=options.watched,
            tell=lambda line: print(line, flush=True),  # noqa: T201 - what a person waits for
        ).run(steps(options.prefix, shared, azs), mends=options.mends)
    except Stopped as stopped:
        sys.stderr.write(f"stopped: {stopped}\n")
        return EXIT_STOPPED
    except (BotoCoreError, ClientError) as error:
        sys.stderr.write(
            f"failed: AWS was not reached or refused: {error} Nothing is undone; look at the"
            " credentials, the Region and the network, and run the same command again\n"
        )
        return EXIT_FAILED
    except KeyboardInterrupt:
        sys.stderr.write(
            "interrupted: a stack that is under way goes on by itself; the same command again"
            " waits for it, and makes up the bake\n"
        )
        return EXIT_INTERRUPTED
    return 0


def stated(texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """What `--set` states by template, or Usage for what no template takes."""
    shared: dict[str, dict[str, str]] = {}
    for text in texts:
        where, equal, value = text.partition("=")
        template, _, key = where.partition(".")
        if not equal or not key:
            raise Usage(f"--set {text}: write it as TEMPLATE.PARAMETER=VALUE")
        if template not in (*FIRST, "az"):
            raise Usage(f"--set {text}: no template {template}; there are {', '.join(FIRST)}, az")
        if key not in (known := _parameters(template)):
            raise Usage(f"--set {text}: {template}.yaml has no {key}; it has {', '.join(known)}")
        shared.setdefault(template, {})[key] = value
    return shared


def subnets(texts: Sequence[str]) -> list[dict[str, str]]:
    """The AZs of `--az` in their order, or Usage for one without a subnet or stated twice."""
    found: dict[str, str] = {}
    for text in texts:
        az, _, subnet = text.partition("=")
        if not az or not subnet.startswith("subnet-"):
            raise Usage(f"--az {text}: write it as AZ=SUBNET, as use1-az1=subnet-00000001")
        if az in found:
            raise Usage(f"--az {text}: {az} is stated twice")
        found[az] = subnet
    return [{"Az": az, "Subnet": subnet} for az, subnet in found.items()]


def _length(text: str) -> float:
    """A time that passes: neither negative, nor without end, nor none."""
    if not 0.0 < (length := float(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is no length of time")
    return length


def _parameters(template: str) -> list[str]:
    """The names that stand under `Parameters:`; read as text, since boto3 brings no YAML."""
    text = (STACKS / f"{template}.yaml").read_text()
    [block] = re.findall(r"^Parameters:\n((?:  .*\n|\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\w+):$", block, re.MULTILINE)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="deploy/rollout.py", description=__doc__)
    parser.add_argument("--prefix", default="dnsplan", help="what the stacks' names begin with")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="TEMPLATE.PARAMETER=VALUE",
        help="a parameter, as roles.ZoneArns=arn:aws:route53:::hostedzone/Z1; may be repeated",
    )
    parser.add_argument(
        "--az", action="append", default=[], metavar="AZ=SUBNET", help="in the order to go in"
    )
    parser.add_argument(
        "--bake-min", type=_length, default=30.0, help="minutes to watch each AZ for"
    )
    parser.add_argument("--look-every-s", type=_length, default=LOOK_EVERY_S)
    parser.add_argument("--watched", default="dnsplan-", help="prefix of the alarms to watch")
    parser.add_argument(
        "--mends",
        action="store_true",
        help="go to the first AZ that changes though an alarm rings, since this ends it",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
