"""``python -m proof.chaos.database FOLDER``: PostgreSQL alone, as an installation runs it.

Apart from the installation, so that a proxy can stand between the two. Prints its URL when it
serves, starts the server again when it dies, and ends with its parent.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from rollcall.launcher import cluster as clusters
from rollcall.launcher import postgres
from rollcall.launcher.output import Output
from rollcall.launcher.signals import Parent, Signals
from rollcall.launcher.supervisor import Stopped, Supervisor


def main(arguments: Sequence[str]) -> int:
    """Serve until a signal; fsync stays on, since kills must cost nothing."""
    output, signals = Output(), Signals(Parent())
    cluster = clusters.prepare(Path(arguments[0]))
    supervisor = Supervisor(output, signals)
    with signals.watching():
        try:
            supervisor.start([(postgres.describe(cluster),)])
            print(f"database {cluster.url()}", flush=True)
            supervisor.watch()
        except Stopped:
            return 0
        finally:
            supervisor.stop()
            cluster.lock.close()
            output.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
