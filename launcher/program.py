"""``python -m launcher.program NAME [ARGUMENTS]``: become one of Rollcall's programs.

This process becomes the program (exec) instead of starting it, so that the program gets its signals
and its exit status is the program's. ``launcher.commands`` has the list; nothing is decided here.
"""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from launcher import commands

USAGE_ERROR = 2


def main(arguments: Sequence[str]) -> NoReturn:
    """Become the program, or print the list of programs."""
    name, *rest = arguments or ("",)
    if name not in commands.PROGRAMS:
        sys.stderr.write(usage())
        sys.exit(0 if name in ("-h", "--help") else USAGE_ERROR)
    os.chdir(commands.CHECKOUT)
    argv = commands.argv(name, *rest)
    os.execve(argv[0], argv, commands.environ(name, os.environ))


def usage() -> str:
    """The list of programs as a table."""
    width = max(map(len, commands.PROGRAMS))
    rows = (f"  {name:{width}}  {row.meaning}" for name, row in commands.PROGRAMS.items())
    return "\n".join(("python -m launcher.program NAME [ARGUMENTS], where NAME is", *rows, ""))


if __name__ == "__main__":
    main(sys.argv[1:])
