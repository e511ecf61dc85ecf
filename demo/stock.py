"""A stock consumer as a program: ``python -m demo.stock PART``, PART being JSON.

It joins its group, pretends to work, and says on standard output which partitions it holds
whenever that changes, as a JSON list a line. It leaves when its standard input ends, so it never
outlives the demo; a crash is a kill.
"""

import json
import os
import sys
import threading
import time
from contextlib import suppress

from demo.cast import Part
from demo.libraries import CLIENTS, Client
from demo.progress import Progress

POLL_S = 0.5


def main(text: str) -> None:
    """Play the part until standard input ends."""
    part = Part(**json.loads(text))
    stop = threading.Event()
    threading.Thread(target=wait_for_end, args=(stop,), daemon=True).start()
    client = CLIENTS[part.library](part)
    try:
        live(part, client, stop)
    finally:
        client.close()


def wait_for_end(stop: threading.Event) -> None:
    """Not by ``sys.stdin``: a thread that waits in it would hold up the end of the program."""
    while os.read(0, 1):
        pass
    stop.set()


def live(part: Part, client: Client, stop: threading.Event) -> None:
    """Poll, tell, work."""
    progress = Progress(part.seed)
    reported: set[int] | None = None
    worked = time.monotonic()
    while not stop.is_set():
        client.poll(min(POLL_S, part.work_ms / 1000))
        held = client.held()
        if held != reported:
            reported = held
            sys.stdout.write(json.dumps(sorted(held)) + "\n")
            sys.stdout.flush()
        if held and time.monotonic() - worked >= part.work_ms / 1000:
            worked = time.monotonic()
            with suppress(*client.errors):  # a rebalance came between: the next time will do
                work(client, progress, held)


def work(client: Client, progress: Progress, held: set[int]) -> None:
    """Read a little further than the group had come to, and commit that."""
    unknown = progress.unknown(held)
    if unknown:
        progress.begin(client.committed(unknown))
    client.commit(progress.advance())


if __name__ == "__main__":
    main(sys.argv[1])
