"""A small process that behaves as a process of Rollcall: says that it serves, then waits.

    stand_in.py FOLDER NAME [stubborn] [parent] [brief]

Writes its pid to FOLDER/NAME.pid and is ready at once. "stubborn" ignores SIGTERM, "parent"
starts a child that ignores it too, "brief" ends with status 3 without ever being ready.
"""

import os
import signal
import sys
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a line that is there whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_text(f"{text}\n")
    part.rename(path)


def main(folder: str, name: str, *ways: str) -> None:
    """Behave in those ways until a signal ends it."""
    home = Path(folder)
    if "stubborn" in ways:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "parent" in ways and os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        name = f"{name}-child"
    print(f"{name} is here", flush=True)
    write(home / f"{name}.pid", str(os.getpid()))
    with (home / "order").open("a") as order:
        order.write(f"{name}\n")
    if "brief" in ways:
        sys.exit(3)
    write(home / f"{name}.ready", f"127.0.0.1:{os.getpid()}")
    while True:
        signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
