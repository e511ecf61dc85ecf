"""Log lines that nobody reads are dropped and counted; no process waits for their reader."""

import os
import re
import subprocess
import sys
from typing import IO

KINDS = 400
"""Ten lines of each are more than a pipe and a slow reader take."""

PROGRAM = f"""
import logging
import django
django.setup()
logger = logging.getLogger("noisy")
for kind in range({KINDS}):
    for n in range(10):
        logger.warning(f"kind {{kind}} says %s", "x" * 100)
print("serves", flush=True)
input()
logger.warning("read again")
"""


def process() -> "subprocess.Popen[bytes]":
    """One that logs a lot, serves, and logs once more when it is told to."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "coordinator_site.settings"}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def read(stream: IO[bytes], until: bytes) -> list[str]:
    """The lines up to the one that ends so."""
    lines = list[str]()
    while line := stream.readline():
        lines.append(line.decode().rstrip())
        if line.rstrip().endswith(until):
            break
    return lines


def test_a_process_serves_while_nobody_reads_its_log_and_counts_what_is_missing() -> None:
    with process() as noisy:
        assert noisy.stdin and noisy.stdout and noisy.stderr
        assert noisy.stdout.readline() == b"serves\n"
        # The pipe is emptied, all but what is written next, before it goes on.
        os.set_blocking(noisy.stderr.fileno(), False)
        early = noisy.stderr.read() or b""
        os.set_blocking(noisy.stderr.fileno(), True)
        noisy.stdin.write(b"\n")
        noisy.stdin.flush()
        late = read(noisy.stderr, b"read again")
    # The last line that was written may have been cut.
    written = len(re.findall(rb"^\S+ warning  noisy: kind \d+ says x{100}$", early, re.M))
    (told,) = [line for line in late if "nobody read the log" in line]
    missing = int(told.split(": ")[1].split()[0])
    assert missing > 0 and written + missing == KINDS * 10
    assert late[-1].endswith("noisy: read again")
