"""``python -m launcher.celery worker`` and ``beat``: Celery's two processes; ``worker --beat`` is
both in one, where one worker is all there is.

What Celery's own command line would do with the same options. That one brings an interactive shell
along, whose import takes as long as everything else, and its memory.
"""

import logging
import os
import sys
import threading
from typing import Any

from coordinator_site.priority import give_way

logger = logging.getLogger(__name__)

LOG_LEVEL = "WARNING"
THREADS = 4
"""Threads, not processes: tasks wait for the database, and memory is what idle costs."""

BEAT = "--beat"
BEAT_END_S = 2.0
"""How long the end waits for a beat that writes down when it ran what: it looks up every second."""


def main(name: str, *options: str) -> None:
    """Be one of the two until a signal. Where nodes share the machine they come first."""
    give_way()
    logging.captureWarnings(True)  # several lines each, otherwise
    try:
        {"worker": worker, "beat": beat}[name](*options)
    except Exception as error:
        from coordinator_site.outages import is_outage

        if not is_outage(error):
            raise
        # Whoever restarts it says that it ended; why is a line of the log, and no traceback.
        logger.critical("%s ended", name, exc_info=True)
        sys.exit(1)


def worker(*options: str) -> None:
    """Do the periodic work. It hears of no other worker: each takes what is due."""
    from coordinator_site.celery import app

    beside = Beside(app) if BEAT in options else None
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
    if beside is not None:
        beside.stop()
    sys.exit(doing.exitcode)


class Beside:
    """A beat in a thread of the worker's process. It starts when the worker takes tasks, and only
    then does the process say that it serves; should it fail, the process ends as a beat's would.
    """

    def __init__(self, app: Any) -> None:
        from celery import signals

        from coordinator_site.celery import serves

        self._service = app.Beat(quiet=True).Service(app=app, scheduler_cls=app.conf.beat_scheduler)
        self._thread = threading.Thread(target=self._serve, args=(app,), name="beat", daemon=True)
        self._has_begun = False
        signals.worker_ready.disconnect(serves)
        signals.worker_ready.connect(self._begin)
        signals.worker_shutting_down.connect(self._end)

    def stop(self) -> None:
        """Wait until it has written down what it did."""
        self._end()
        if self._has_begun:
            self._thread.join(BEAT_END_S)

    def _begin(self, **_: Any) -> None:
        if not self._has_begun:  # the worker is ready each time it has reached the broker
            self._has_begun = True
            self._thread.start()

    def _end(self, **_: Any) -> None:
        self._service.stop()

    def _serve(self, app: Any) -> None:
        from celery.worker import state

        app.set_current()
        try:
            self._service.start()
        except Exception:
            logger.critical("beat ended", exc_info=True)
            state.should_stop = os.EX_SOFTWARE  # type: ignore[assignment]  # Celery's own way


def beat() -> None:
    """Say when periodic work is due."""
    from coordinator_site.celery import app

    app.Beat(loglevel=LOG_LEVEL, quiet=True).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
