"""``python -m launcher.celery worker`` and ``beat``: Celery's two processes.

What Celery's own command line would do with the same options. That one brings an interactive shell
along, whose import takes as long as everything else, and its memory.
"""

import logging
import os
import sys

logger = logging.getLogger(__name__)

LOG_LEVEL = "WARNING"
YIELDS = 5
"""What is added to the priority of the process (nice), as to the web's."""

THREADS = 4
"""Threads, not processes: tasks wait for the database, and memory is what idle costs."""


def main(name: str) -> None:
    """Be one of the two until a signal. Where nodes share the machine they come first."""
    os.nice(YIELDS)
    logging.captureWarnings(True)  # several lines each, otherwise
    try:
        {"worker": worker, "beat": beat}[name]()
    except Exception as error:
        from coordinator_site.outages import is_outage

        if not is_outage(error):
            raise
        # Whoever restarts it says that it ended; why is a line of the log, and no traceback.
        logger.critical("%s ended", name, exc_info=True)
        sys.exit(1)


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
