"""The supervisor over stand-ins, as a process of its own that tests can signal and kill.

    small_launcher.py [--stop-with-parent] FOLDER NAME[:WAY,WAY] ...

Each name is a stage of its own. Prints "ready" when all of them serve.
"""

import os
import sys
from pathlib import Path

from launcher.errors import LaunchError
from launcher.output import Output
from launcher.plan import ready_file
from launcher.process import Command, Process
from launcher.signals import Parent, Signals
from launcher.supervisor import Stopped, Supervisor

STAND_IN = Path(__file__).with_name("stand_in.py")


def stand_in(folder: Path, name: str, *ways: str) -> Process:
    """A stand-in as the supervisor runs it."""
    argv = (sys.executable, str(STAND_IN), str(folder), name, *ways)
    return Process(name, Command(argv, os.environ), ready_file(folder / f"{name}.ready"))


def main(arguments: list[str]) -> int:
    """Start, say so, watch, stop: as ``launcher`` does."""
    parent = Parent() if arguments[0] == "--stop-with-parent" else None
    folder, *words = [word for word in arguments if not word.startswith("--")]
    output = Output()
    supervisor = Supervisor(output, signals := Signals(parent))
    try:
        with signals.watching():
            try:
                for word in words:
                    name, _, ways = word.partition(":")
                    supervisor.begin((stand_in(Path(folder), name, *ways.split(",")),))
                print("ready", flush=True)
                supervisor.watch()
            finally:
                supervisor.stop()
    except Stopped:
        return 0
    except LaunchError as refusal:
        output.say("launcher", str(refusal))
        return 1
    finally:
        output.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
