"""``python -m proof.chaos.database FOLDER [--follows URL] [NAME=VALUE...]``: a PostgreSQL alone.

Apart from the installation, so that a proxy can stand between the two. Prints its URL when it
serves, starts the server again when it dies, and ends with its parent. ``--follows`` makes it a
replica of a server that runs. The further arguments are for the server's environment.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from launcher import cluster as clusters
from launcher import postgres
from launcher.output import Output
from launcher.signals import Parent, Signals
from launcher.supervisor import Stopped, Supervisor
from proof.chaos import replica
from proof.chaos.witness import SERVER


def main(arguments: Sequence[str]) -> int:
    """Serve until a signal; fsync stays on, so that kills lose nothing."""
    options = _parser().parse_args(arguments)
    if options.follows:
        replica.copy(options.follows, options.folder)
    output, signals = Output(), Signals(Parent())
    cluster = clusters.prepare(options.folder)
    supervisor = Supervisor(output, signals)
    with signals.watching():
        try:
            settings = {**postgres.SETTINGS, **SERVER}
            server = postgres.describe(cluster, settings)
            environ = {**server.command.environ, **dict(a.split("=", 1) for a in options.environ)}
            command = replace(server.command, environ=environ)
            supervisor.start([(replace(server, command=command),)])
            print(f"database {cluster.url()}", flush=True)
            supervisor.watch()
        except Stopped:
            return 0
        finally:
            supervisor.stop()
            cluster.lock.close()
            output.close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.chaos.database")
    parser.add_argument("folder", type=Path)
    parser.add_argument("environ", nargs="*")
    parser.add_argument("--follows")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
