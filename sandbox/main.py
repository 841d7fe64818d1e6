"""The `dns-sandbox` command: the whole system on this machine, or only its AWS stand-in.

Everything listens on loopback and nothing leaves this machine. Imports that take time happen inside
the commands, so that `--help` is instant.
"""

import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from dnsplan import exits
from dnsplan.runtime.console import command_app

app = command_app(
    "dns-sandbox",
    summary="AWS on a laptop: run the whole system against a stand-in for Route 53 and DynamoDB.",
)


@app.command("run")
def run_command(
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Your own dns.yaml. Without it the bundled example runs."
        ),
    ] = None,
    *,
    backends: Annotated[
        bool,
        typer.Option(
            "--backends",
            help="Serve HTTP on every loopback address that the config probes,"
            " as the bundled example does.",
        ),
    ] = False,
    until_converged: Annotated[
        bool,
        typer.Option(
            "--until-converged",
            help="Stop as soon as every zone is in sync. Exit 1 when the time is up before.",
        ),
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="With --until-converged: print the status object and nothing else."
            " Without: one JSON object a line, the first with all addresses.",
        ),
    ] = False,
    timeout_s: Annotated[
        float,
        typer.Option(
            min=1, metavar="SECONDS", show_default=True, help="How long --until-converged waits."
        ),
    ] = 120,
) -> None:
    """Run the whole system on this machine.

    AWS stand-in, DNS server, planner, an enactor for each AZ, cleanup, and the
    sentinel, which pages nobody but this screen. On a
    terminal it shows a live picture, in a pipe one line an event. Ctrl-C stops
    all of it.

    \b
    Examples:
      dns-sandbox run
      dns-sandbox run --config my.yaml
      dns-sandbox run --config docs/examples/shop.yaml --backends
      dns-sandbox run --until-converged --json | jq '.zones[].applied'

    \b
    Exit codes:
      0  stopped, or converged
      1  failed, or not converged in time
      2  wrong options, or mistakes in the config
    """
    from dnsplan.errors import ConfigError
    from sandbox.run.ports import Claims
    from sandbox.run.script import RunOptions, read_script

    options = RunOptions(
        config=config,
        backends=backends,
        until_converged=until_converged,
        json=json,
        timeout_s=timeout_s,
    )
    with tempfile.TemporaryDirectory(prefix="dns-sandbox-") as folder, Claims() as claims:
        try:
            script = read_script(options, Path(folder), os.environ, claims)
        except ConfigError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(exits.USAGE) from error
        from sandbox.run.command import play

        raise typer.Exit(play(script, options))


@app.command("aws")
def aws_command(
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object when ready, then serve.")
    ] = False,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65_535,
            metavar="PORT",
            show_default=False,
            help="Port of the AWS endpoint. Default: a free one.",
        ),
    ] = 0,
    dns_port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65_535,
            metavar="PORT",
            show_default=False,
            help="Port of the DNS server. Default: a free one.",
        ),
    ] = 0,
    rate: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            metavar="N",
            help="Route 53 requests a second; AWS allows an account 5. Default: no limit.",
        ),
    ] = None,
    zone: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Make this public hosted zone. May be repeated."),
    ] = None,
) -> None:
    """Run only the AWS stand-in and the DNS server.

    For your own tools and tests. Serves until Ctrl-C. Any AWS client finds it by AWS_ENDPOINT_URL.

    \b
    Examples:
      dns-sandbox aws --port 5000 --dns-port 5300 --zone example.com
      AWS_ENDPOINT_URL=http://127.0.0.1:5000 aws route53 list-hosted-zones
      dig @127.0.0.1 -p 5300 example.com SOA

    \b
    Exit codes:
      0  stopped
      1  failed, for instance because a port is taken
      2  wrong options
    """
    from sandbox.run.aws_only import AwsOptions, serve_aws

    options = AwsOptions(
        json=json, port=port, dns_port=dns_port, rate_per_s=rate, zones=tuple(zone or ())
    )
    raise typer.Exit(serve_aws(options))


@app.command("incident")
def incident_command(
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No colours, also on a terminal.")] = False,
) -> None:
    """Play the outage of October 2025 twice: as it went, and with this system.

    First with check-then-write, where plans own records and cleanup goes by age:
    the name ends with no answers and cannot recover by itself. Then with this
    system under the same delays. Every answer and error shown is measured.

    \b
    Examples:
      dns-sandbox incident
      dns-sandbox incident --json | jq '.check_then_write.broken'

    \b
    Exit codes:
      0  check-then-write broke, this system held
      1  it went otherwise, or could not be played
      2  wrong options
    """
    from sandbox.incident.command import IncidentOptions, tell_incident

    raise typer.Exit(tell_incident(IncidentOptions(json=json, plain=plain), os.environ))


def run() -> None:
    """Entry point of the console command."""
    app()
