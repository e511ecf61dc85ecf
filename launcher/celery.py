"""``python -m launcher.celery worker`` and ``beat``: Celery's two processes; ``worker --beat`` is
both in one, for an installation with one worker.

The same as Celery's own command line with these options. That one imports an interactive shell,
which costs as much time and memory as everything else.
"""

import logging
import os
import sys
import threading
from typing import Any

from web.priority import give_way

logger = logging.getLogger(__name__)

LOG_LEVEL = "WARNING"
THREADS = 4
"""Threads, not processes: tasks wait for the database, and idle processes cost memory."""

BEAT = "--beat"
BEAT_END_S = 2.0
"""How long the stop waits until beat has stored its last runs: it checks every second."""


def main(name: str, *options: str) -> None:
    """Run one of the two until a signal. Nodes on the same machine have priority."""
    give_way()
    logging.captureWarnings(True)  # warnings take several lines each otherwise
    try:
        {"worker": worker, "beat": beat}[name](*options)
    except Exception as error:
        from web.outages import needs_no_traceback

        if not needs_no_traceback(error):
            raise
        # The supervisor reports that it ended; the reason is one line of the log, without a
        # traceback.
        logger.critical("%s ended", name, exc_info=True)
        sys.exit(1)


def worker(*options: str) -> None:
    """Run the periodic work. It does not communicate with other workers: each takes what is due."""
    from coordinator_site.celery import app

    beside = Beside(app) if BEAT in options else None
    doing = app.Worker(
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
    """A beat in a thread of the worker's process. It starts when the worker accepts tasks, and only
    then does the process report ready; if it fails, the process ends as a beat's would."""

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
        """Wait until it has stored its last runs."""
        self._end()
        if self._has_begun:
            self._thread.join(BEAT_END_S)

    def _begin(self, **_: Any) -> None:
        if not self._has_begun:  # the worker is ready each time it reconnects to the broker
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
    """Schedule the periodic tasks."""
    from coordinator_site.celery import app

    app.Beat(loglevel=LOG_LEVEL, quiet=True).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
