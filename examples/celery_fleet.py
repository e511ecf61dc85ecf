"""A Celery fleet that shares partitions: each worker process sends the due tasks of the shards it
owns.

There is no single beat that may die or run twice: a shard's tasks are sent by one process at a
time, and by another one when that ends.

    ROLLCALL_EXAMPLE_BOOTSTRAP=127.0.0.1:9092 celery -A examples.celery_fleet worker -P threads
"""

import asyncio
import os
import threading
from typing import Any

from celery import Celery
from celery.signals import worker_ready, worker_shutting_down

from rollcall.client import Work, worker

app = Celery("fleet", broker=os.environ.get("ROLLCALL_EXAMPLE_BROKER", "memory://"))
EVERY_S = 0.1


@app.task
def bill(shard: int, epoch: int) -> None:
    """A unit of work; the epoch goes into what it writes, to fence a late task of an old owner."""
    print(f"bill {shard} {epoch}", flush=True)


@worker("customers", group="billing-fleet")
async def schedule(work: Work) -> None:
    """Send the tasks of one shard as long as this process owns it."""
    while True:
        await asyncio.to_thread(bill.delay, work.partition.partition, work.token.epoch)
        await asyncio.sleep(EVERY_S)


class Schedule:
    """The worker beside Celery, in an event loop and a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._running: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="schedule", daemon=True)

    def begin(self, **_: Any) -> None:
        """Celery's ``worker_ready``."""
        self._thread.start()

    def end(self, **_: Any) -> None:
        """Celery's ``worker_shutting_down``: leave before the pool stops."""
        if self._running is not None:
            self._loop.call_soon_threadsafe(self._running.cancel)
            self._thread.join()

    def _run(self) -> None:
        bootstrap = os.environ["ROLLCALL_EXAMPLE_BOOTSTRAP"]
        self._running = self._loop.create_task(schedule.run(bootstrap=bootstrap))
        self._loop.run_until_complete(asyncio.wait([self._running]))
        self._loop.close()


scheduler = Schedule()
worker_ready.connect(scheduler.begin)
worker_shutting_down.connect(scheduler.end)
