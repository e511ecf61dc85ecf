"""A clock that jumps and a full disk, for real processes and without root.

A small library (``trouble.c``) overrides functions of libc in them. It is compiled when a run
begins; without a C compiler or Linux, a run has no such faults, and reports that. No process
outside the run is touched, nor the machine's own clock and disk.
"""

import shutil
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_name("trouble.c")
FORM: Final = "=qq"
"""Seconds that the clock is ahead, and whether the disk is full."""


def library(folder: Path) -> Path | None:
    """Compile the library into a folder; None if that is not possible."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    made = folder / "trouble.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(SOURCE)]
    return (
        made if subprocess.run(command, check=False, capture_output=True).returncode == 0 else None
    )


class Trouble:
    """The faults of some processes. ``jumps_s`` are the offsets that their clock has had.

    ``environ`` is for processes that shall have them; empty if there is no library.
    """

    def __init__(self, file: Path, made: Path | None) -> None:
        self.file = file
        self.is_possible = made is not None
        self.environ: Mapping[str, str] = (
            {} if made is None else {"LD_PRELOAD": str(made), "PROOF_TROUBLE": str(file)}
        )
        self.jumps_s: list[float] = [0.0]
        self._ahead_s = 0
        self._full = False
        self.file.write_bytes(struct.pack(FORM, 0, 0))
        self.file.chmod(0o644)  # PostgreSQL's own user reads it

    def jump(self, ahead_s: int) -> None:
        """Set how far the wall clock is ahead from now on (negative: behind)."""
        self._ahead_s = ahead_s
        if ahead_s not in self.jumps_s:
            self.jumps_s.append(float(ahead_s))
        self._write()

    def fill(self, *, full: bool) -> None:
        """Make every write to a file fail from now on, or succeed again."""
        self._full = full
        self._write()

    def _write(self) -> None:
        with self.file.open("r+b") as file:  # in place: it is mapped into the processes
            file.write(struct.pack(FORM, self._ahead_s, int(self._full)))
