"""What `dns-sandbox aws` does: serve the stand-in and DNS until asked to stop."""

import asyncio
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from dnsplan.errors import InvalidName
from dnsplan.names import parse_name
from dnsplan.runtime.config.schema import ZoneEntry
from sandbox.run.child import USAGE_EXIT_CODE
from sandbox.run.environment import aws_variables
from sandbox.run.output import Output
from sandbox.run.screens import complain
from sandbox.run.world import OWN_KEY, World, open_world


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsOptions:
    """The command line."""

    json: bool
    port: int
    dns_port: int
    rate_per_s: float | None
    zones: tuple[str, ...]


def serve_aws(options: AwsOptions) -> int:
    """Serve until SIGINT or SIGTERM, and give the exit code."""
    try:
        zones = [(name, ZoneEntry(name=parse_name(name))) for name in options.zones]
    except InvalidName as error:
        complain(f"--zone: {error}")
        return USAGE_EXIT_CODE
    output = Output()
    try:
        asyncio.run(_serve(options, zones, output))
    except OSError as error:
        complain(f"cannot listen: {error}")
        return 1
    return output.exit_code(0)


async def _serve(options: AwsOptions, zones: list[tuple[str, ZoneEntry]], output: Output) -> None:
    stop = asyncio.Event()
    output.on_closed = stop.set
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    async with open_world(port=options.port, dns_port=options.dns_port) as world:
        await world.make_zones(zones)
        # Set last: making the zones must not use up the account's rate.
        world.stand_in.settings.route53.rate_per_s = options.rate_per_s
        if options.json:
            output.write(msgspec.json.encode(ready(world)).decode())
        else:
            for line in ready_lines(world):
                output.write(line)
        await stop.wait()


def ready(world: World) -> dict[str, object]:
    """Where everything listens."""
    return {
        "endpoint_url": world.stand_in.endpoint_url,
        "dns": world.public.address,
        "dns_private": world.private.address,
        "zones": world.zone_ids,
    }


def ready_lines(world: World) -> Iterator[str]:
    """The same for a person, with what boto3, awscli and octoDNS need."""
    yield f"AWS stand-in   {world.stand_in.endpoint_url}"
    yield f"DNS server     {world.public.address} (private zones: {world.private.address})"
    for name, zone_id in world.zone_ids.items():
        yield f"zone           {name} {zone_id}"
    yield ""
    yield "For boto3, awscli and octoDNS:"
    shown = aws_variables(endpoint_url=world.stand_in.endpoint_url, access_key=OWN_KEY)
    for variable in (
        "AWS_ENDPOINT_URL",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_DEFAULT_REGION",
    ):
        yield f"  export {variable}={shown[variable]}"
    yield ""
    yield "Ctrl-C stops it."
