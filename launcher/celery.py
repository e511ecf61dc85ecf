"""``python -m launcher.celery worker`` and ``beat``: Celery's two processes.

What Celery's own command line would do with the same options. That one brings an interactive shell
along, whose import takes as long as everything else, and its memory.
"""

import os
import sys

LOG_LEVEL = "WARNING"
YIELDS = 5
"""What is added to the priority of the process (nice), as to the web's."""

THREADS = 4
"""Threads, not processes: tasks wait for the database, and memory is what idle costs."""


def main(name: str) -> None:
    """Be one of the two until a signal. Where nodes share the machine they come first."""
    os.nice(YIELDS)
    {"worker": worker, "beat": beat}[name]()


def worker() -> None:
    """Do the periodic work. It hears of no other worker: each takes what is due."""
    from coordinator_site.celery import app

    doing = app.Worker(
        pool="threads",
        concurrency=THREADS,
        loglevel=LOG_LEVEL,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    doing.start()
    sys.exit(doing.exitcode)


def beat() -> None:
    """Say when periodic work is due."""
    from coordinator_site.celery import app

    app.Beat(loglevel=LOG_LEVEL, quiet=True).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
