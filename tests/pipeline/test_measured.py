"""What measurements of the pipeline count."""

import subprocess
import sys

from benchmarks.machine import watched

DAEMON = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as Spark's does
reader, writer = os.pipe()
if not os.fork():
    while time.process_time() < 0.3:
        pass
    print("worked", flush=True)
    os.close(writer)
    os.read(reader, 1)
    sys.exit()
sys.stdin.readline()
os.close(writer)
while True:
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:  # it has ended
        break
print("ended", flush=True)
sys.stdin.read()  # what it used itself is counted while it is there
"""


def test_what_a_process_used_that_nobody_waited_for_is_counted() -> None:
    """Six seconds of Spark's Pythons were missing in a run of a million entries."""
    with (
        subprocess.Popen(
            [sys.executable, "-c", DAEMON], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as daemon,
        watched() as spent,
    ):
        assert daemon.stdin is not None and daemon.stdout is not None
        assert daemon.stdout.readline() == "worked\n"
        before = sum(spent().values())
        daemon.stdin.write("end\n")
        daemon.stdin.flush()
        assert daemon.stdout.readline() == "ended\n"
        assert sum(spent().values()) >= before
