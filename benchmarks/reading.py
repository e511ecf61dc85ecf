"""Ways to read the journal as the pipeline needs it, each to its end and into nothing."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg
from adbc_driver_postgresql import dbapi

from pipeline.datasets.journal import Journal
from pipeline.sources.rollcall import RollcallSource
from pipeline.sources.tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RANGES = 8
FETCHED = 10_000


def statement() -> str:
    """The columns of the journal, in SQL."""
    return TABLES[Journal.NAME].select(Journal.names(), ()).as_string()


def by_copy(url: str) -> None:
    """As bytes; nobody makes values of them."""
    copy = f"COPY ({statement()}) TO STDOUT (FORMAT binary)".encode()
    with (
        psycopg.connect(url) as connection,
        connection.cursor() as cursor,
        cursor.copy(copy) as copied,
    ):
        for _ in copied:
            pass


def by_adbc(url: str) -> None:
    """As batches of Arrow."""
    with dbapi.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(statement())
        for _ in cursor.fetch_record_batch():
            pass


def by_source(spark: "SparkSession") -> None:
    """As Spark reads it for a run."""
    spark.dataSource.register(RollcallSource)
    _consume(spark.read.format(RollcallSource.name()).option("table", Journal.NAME).load())


def by_jdbc(spark: "SparkSession", url: str, jar: str) -> None:
    """By PostgreSQL's own driver, in as many ranges of numbers."""
    spark.sparkContext._jsc.addJar(jar)
    with psycopg.connect(url) as connection:
        (last,) = connection.execute("SELECT max(id) FROM rollcall_journal").fetchall()[0]
    parts = urlsplit(url)
    options = {
        "url": f"jdbc:postgresql://{parts.hostname}:{parts.port}{parts.path}",
        "user": parts.username, "password": parts.password, "driver": "org.postgresql.Driver",
        "dbtable": f"({statement()}) AS journal", "fetchsize": FETCHED, "partitionColumn": "id",
        "lowerBound": 0, "upperBound": last, "numPartitions": RANGES,
    }  # fmt: skip
    _consume(spark.read.format("jdbc").options(**options).load())


def _consume(frame: "DataFrame") -> None:
    frame.write.format("noop").mode("overwrite").save()
