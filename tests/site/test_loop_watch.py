"""A process whose event loop stands still ends by itself, and says where it stood."""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress

from groups.loop_watch import THE_LOOP
from groups.watchdog import SENTENCE

PROGRAM = """
import asyncio, itertools, sys, threading, time
from groups import loop_watch, watchdog

watchdog.LOOK_S = 0.01

def waits():
    threading.Event().wait()

def keeps_the_interpreter():
    max(itertools.repeat(0))

def nothing():
    pass

async def turns():
    loop = asyncio.get_running_loop()
    watch = loop_watch.LoopWatch(loop.call_later, 0.5)
    watch.start()
    print("watched", flush=True)
    if len(sys.argv) > 1:
        loop.call_soon(globals()[sys.argv[1]])
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.readline()
    return watch

watch = asyncio.run(turns())
if len(sys.argv) > 2:
    watch.stop()
    time.sleep(2.0)  # four times the limit, without a loop
"""


def ended(how: str) -> subprocess.CompletedProcess[bytes]:
    """What is left of a process whose loop does this."""
    argv = [sys.executable, "-c", PROGRAM, how]
    return subprocess.run(argv, check=False, capture_output=True)


def test_a_loop_that_waits_ends_the_process_with_a_sentence_and_its_stack() -> None:
    left = ended("waits")
    assert left.returncode == 1
    assert left.stderr.decode().startswith(SENTENCE % (THE_LOOP, 0.5))
    assert b"in waits\n" in left.stderr


def test_a_log_that_nobody_reads_does_not_keep_the_process() -> None:
    reading, writing = os.pipe()
    try:
        os.set_blocking(writing, False)
        with suppress(BlockingIOError):
            while os.write(writing, b"\n" * 4_096):
                pass
        os.set_blocking(writing, True)
        argv = [sys.executable, "-c", PROGRAM, "waits"]
        assert subprocess.run(argv, check=False, stderr=writing).returncode == 1
        assert os.get_blocking(writing)
    finally:
        os.close(reading)
        os.close(writing)


def test_a_log_whose_reader_is_gone_does_not_keep_the_process() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    argv = [sys.executable, "-c", PROGRAM, "waits"]
    try:
        assert subprocess.run(argv, check=False, stderr=writing).returncode == 1
    finally:
        os.close(writing)


def test_a_call_of_c_that_keeps_the_interpreter_ends_it_too() -> None:
    """No thread of Python can look then."""
    left = ended("keeps_the_interpreter")
    assert left.returncode == -signal.SIGPROF
    assert b"in keeps_the_interpreter\n" in left.stderr


def test_time_in_which_the_process_was_stopped_does_not_count() -> None:
    """A suspended machine, a container that is paused, a debugger."""
    argv = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"watched\n"
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        said, _, _ = select.select([process.stdout], [], [], 2.0)  # four times the limit
        assert not said
        process.send_signal(signal.SIGCONT)
        process.stdin.write(b"enough\n")
        process.stdin.close()
        assert process.wait() == 0


def test_what_follows_the_loop_is_not_watched() -> None:
    """Spans are sent when a node has ended: the collector may be slow."""
    argv = [sys.executable, "-c", PROGRAM, "nothing", "stops"]
    assert subprocess.run(argv, check=False, input=b"enough\n").returncode == 0
