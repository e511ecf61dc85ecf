"""Runs tests against one mutant after the other, each in a child of its own.

Started in a copy of the checkout, whose files the caller changes between two requests. What all
tests import and no mutant changes is imported once; a child is a fork, imports the rest, and ends.
A request and its answer are one line of JSON each.
"""

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

SHARED = (
    "asyncio",
    "daphne.utils",
    "django.contrib.admin",
    "django.core.management",
    "django.db.backends.postgresql.base",
    "django.db.migrations.executor",
    "django.db.models",
    "django.test",
    "hypothesis",
    "hypothesis.stateful",
    "psycopg",
    "psycopg_pool",
    "re2",
    "uvloop",
)
"""None of it starts a thread or opens a connection."""

PLUGIN = "tests.mutation.plugin"
OUTPUT = "mutation-output"
KILLED, SURVIVED, TIMED_OUT, BROKEN = "killed", "survived", "timed out", "broken"
NOT_STARTED = 70
"""The status of a child in which not even what pytest begins with could be imported."""

TIME_LIMIT = "Failed: Timeout"
MEMORY_BYTES = 4 << 30


def main() -> None:
    """Until the caller closes our standard input."""
    for name in SHARED:
        importlib.import_module(name)
    for line in sys.stdin:
        answer = _run(json.loads(line))
        print(json.dumps(answer), flush=True)


def _run(request: Mapping[str, Any]) -> dict[str, str]:
    """Stage by stage: the first that fails is the last."""
    answer = {"outcome": SURVIVED, "said": ""}
    for arguments in request["stages"]:
        if answer["outcome"] == SURVIVED:
            answer = _stage(arguments, request)
    return answer


def _stage(arguments: Sequence[str], request: Mapping[str, Any]) -> dict[str, str]:
    child = os.fork()
    if child == 0:
        _tests(arguments, request["cpu_s"])
    ended = threading.Timer(request["wall_s"], _kill, [child])
    ended.start()
    _, status = os.waitpid(child, 0)
    ended.cancel()
    ended.join()  # a process with threads should not fork
    _kill(child)  # what it has started and not ended
    code = os.waitstatus_to_exitcode(status)
    said = Path(OUTPUT).read_text(errors="replace")
    return {"outcome": _outcome(code, said), "said": said}


def _outcome(code: int, said: str) -> str:
    """A mutant at which nothing can be imported is killed; pytest's own errors kill none."""
    if code < 0 or TIME_LIMIT in said:
        return TIMED_OUT
    if code == pytest.ExitCode.OK:
        return SURVIVED
    if "file or directory not found" in said:
        return BROKEN
    failed, stopped = pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED
    kills = (failed, stopped, pytest.ExitCode.USAGE_ERROR, NOT_STARTED)
    return KILLED if code in kills else BROKEN


def _kill(child: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _tests(arguments: Sequence[str], cpu_s: int) -> None:
    """Never returns."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    written = os.open(OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(written, 1)
    os.dup2(written, 2)
    code: int = NOT_STARTED
    try:
        code = int(pytest.main(["-p", PLUGIN, *arguments]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
