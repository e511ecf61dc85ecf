"""A Spark session of modest size, local unless ROLLCALL_SPARK_MASTER says otherwise."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pipeline import java
from pipeline.places import CHECKOUT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local[2]"

SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "640m",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # Nothing of ours listens beyond this machine unless a master elsewhere is named.
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


@contextmanager
def session(master: str | None = None) -> Iterator["SparkSession"]:
    """A session, and its Java process, for as long as the block runs.

    Raises ``pipeline.places.Unconfigured`` where Spark or Java is missing. With
    a master on other machines, name ``spark.driver.host`` by ``PYSPARK_SUBMIT_ARGS``.
    """
    os.environ.update(java.prepare())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(CHECKOUT), path]))
    from pyspark.sql import SparkSession

    named = master or os.environ.get("ROLLCALL_SPARK_MASTER") or MASTER
    builder = SparkSession.builder.master(named).appName("rollcall")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    shipped = TemporaryDirectory(prefix="rollcall-pipeline-")  # served from there until the end
    try:
        if not named.startswith("local"):
            archive = shutil.make_archive(f"{shipped.name}/pipeline", "zip", CHECKOUT, "pipeline")
            spark.sparkContext.addPyFile(archive)
        yield spark
    finally:
        shipped.cleanup()
        spark.stop()
        gateway = spark.sparkContext._gateway
        if gateway is not None:
            gateway.shutdown()
            gateway.proc.stdin.close()  # Java ends with its standard input
            gateway.proc.wait()
