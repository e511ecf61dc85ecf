"""A Spark session of modest size; at its end everything that it started is stopped.

Local unless ROLLCALL_SPARK_MASTER names a master; options of ``spark-submit`` take precedence.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from pipeline import java
from pipeline.config import CHECKOUT, Unconfigured

if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

MASTER = "local[2]"
CONNECT = "sc://"
UNSUPPORTED = (
    "The pipeline does not run through Spark Connect (sc://), which gives no access to the tasks"
    " that it reports on. Name the cluster's own master: spark://, k8s:// or yarn."
)

LOGGING = Path(__file__).with_name("log4j2.properties")

LOGGED = f'"-Dlog4j2.configurationFile=file:{LOGGING}"'

JAVA_OPTIONS = "spark.driver.extraJavaOptions"

SETTINGS = {
    "spark.app.name": "rollcall",
    "spark.driver.memory": "2g",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.python.filterPushdown.enabled": "true",
    # Where in Python each column was made, for messages: two fifths of all calls of Java.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # Numbers, with statistics, and not the twelve bytes of old Hive.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Every table is divided by groups (``steps.whole_run``): joins need no broadcast, and there is
    # nothing to adapt.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # A group's rows are in one task, whose ranges are small: hashing does not run out of memory.
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "100000",
    # A run compiles some hundred classes; a session that runs again has them all, and stages whose
    # code is alike share one.
    "spark.sql.codegen.cache.maxEntries": "1000",
    "spark.sql.codegen.useIdInClassName": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # The first is read before the first log line, when the level above is not set yet; a heap that
    # is nearly full makes a run slow, and does not end Java.
    JAVA_OPTIONS: f"{LOGGED} -XX:-UseGCOverheadLimit",
}

SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    JAVA_OPTIONS: f"{LOGGED} -XX:TieredStopAtLevel=1",
}
"""For little data: compiling code costs more than interpreting it, whether Spark's own or Java's;
and where one task has all rows (``steps.whole_run``), a join needs no broadcast, and there are no
stages to adapt."""

COLLECTOR, COLLECTOR_OF_LITTLE = "Parallel", "Serial"
"""Those of the least work, since nobody waits for an answer."""

TIME_ZONE = "spark.sql.session.timeZone"
"""Hours of reports depend on it: runs upon runs need the same, whatever a command line says."""

LITTLE = {name: value for name, value in SMALL.items() if name.startswith("spark.sql.")}
"""Those that a session can change while it runs."""

LOOPBACK = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
"""While the master is local, nothing listens beyond this machine. For a master, Spark chooses the
address at which its workers call back; SPARK_LOCAL_IP overrides it."""

END_S_MAX = 30
"""A Java that has not ended by then is killed."""


class SparkFailed(Exception):
    """What Spark said, with the stack trace of an executor if it has one."""


@contextmanager
def session(*, is_small: bool = False) -> Iterator["SparkSession"]:
    """A session, and its Java process, until the block ends. ``is_small``: for little data.

    Raises ``pipeline.config.Unconfigured`` if there is no Java for it, or it is one of Spark
    Connect, and ``SparkFailed`` for an error of Spark's, whose own text can be read only while Java
    lives.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    if _named_master().startswith(CONNECT):
        raise Unconfigured(UNSUPPORTED)
    with TemporaryDirectory(prefix="rollcall-pipeline-") as folder:
        try:
            with _environment(_started_with()):
                spark = SparkSession.builder.config(conf=_configuration(is_small)).getOrCreate()
            _ship(spark, Path(folder))
            yield spark
        except (PySparkException, Py4JError) as error:
            raise SparkFailed(str(error)) from None
        finally:
            _end()


@contextmanager
def little(spark: "SparkSession") -> Iterator[None]:
    """A session with much data computes with the settings for little, until the block ends."""
    before = {name: spark.conf.get(name) for name in LITTLE}
    _set(spark, LITTLE)
    try:
        yield
    finally:
        _set(spark, before)


def _set(spark: "SparkSession", settings: Mapping[str, str | None]) -> None:
    for name, value in settings.items():
        if value is not None:
            spark.conf.set(name, value)


def _named_master() -> str:
    """By the environment; Spark's own variable is that of Spark Connect."""
    return os.environ.get("SPARK_REMOTE") or os.environ.get("ROLLCALL_SPARK_MASTER") or MASTER


def _is_submitted() -> bool:
    """Whether ``spark-submit`` started Java, and Java started us."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _started_with() -> dict[str, str]:
    if _is_submitted():
        return {}
    python = os.environ.get("PYSPARK_PYTHON", sys.executable)
    return {"JAVA_HOME": str(java.home()), "PYSPARK_PYTHON": python}


def _configuration(is_small: bool) -> "SparkConf":
    from pyspark import SparkConf, SparkContext

    if _is_submitted():
        SparkContext._ensure_initialized()  # only Java knows the options of the command line
    conf = SparkConf()
    conf.setIfMissing("spark.master", _named_master())
    is_local = (conf.get("spark.master") or MASTER).startswith("local")
    settings = SETTINGS | (LOOPBACK if is_local else {}) | (SMALL if is_small else {})
    settings[JAVA_OPTIONS] += f" {java.collector(COLLECTOR_OF_LITTLE if is_small else COLLECTOR)}"
    for name, value in settings.items():
        conf.setIfMissing(name, value)
    conf.set(TIME_ZONE, "UTC")
    return conf


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    """Other variables while Java starts; this process keeps its own."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _ship(spark: "SparkSession", folder: Path) -> None:
    """Executors import the pipeline, and the rules that it replays, from an archive that this
    process serves until the end."""
    archive = folder / "pipeline.zip"
    with ZipFile(archive, "w", ZIP_DEFLATED) as zipped:
        zipped.write(CHECKOUT / "groups" / "__init__.py", "groups/__init__.py")
        for package in ("pipeline", "groups/core"):
            for path in sorted((CHECKOUT / package).rglob("*.py")):
                zipped.write(path, path.relative_to(CHECKOUT))
    spark.sparkContext.addPyFile(str(archive))


def _end() -> None:
    """Stop the session, and wait for the Java that was started for it."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is not None:
        spark.stop()
    gateway = SparkContext._gateway
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    if gateway is None or process is None:
        return
    gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None  # another session starts another Java
    if process.stdin is not None:
        process.stdin.close()  # Java ends with its standard input
    try:
        process.wait(END_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
