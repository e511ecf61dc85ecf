"""An export by Spark, into a format whose jars its session has.

Tables and reports are exported as Parquet first (``results.export``), so nothing here knows how
they are kept; Spark rewrites each.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from pipeline.results import export as files
from pipeline.results import folders
from pipeline.results.folders import Output

STAGED: Final = "export"

Writer = Callable[[DataFrame, str, str], str]
"""Takes rows, the destination and the table's name; replaces the table and returns its address."""


def export(
    spark: SparkSession, conninfo: str, output: Output, to: str, form: str, tables: Sequence[str]
) -> Mapping[str, str]:
    """Export what ``results.export`` does; the addresses by name. Raises ``NothingToExport``."""
    write, staged = FORMATS[form], output.within(STAGED)
    folders.clear(staged.address)
    made = files.export(conninfo, output, staged, "parquet", tables)
    written = {name: write(spark.read.parquet(address), to, name) for name, address in made.items()}
    folders.clear(staged.address)
    return written


def _delta(rows: DataFrame, to: str, name: str) -> str:
    address = f"{Output.at(to).address}/{name}"
    writer = rows.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
    writer.save(address)
    return address


def _iceberg(rows: DataFrame, to: str, name: str) -> str:
    """``to`` is a namespace of a catalogue that the session knows: ``lake.rollcall``."""
    table = f"{to}.`{name}`"
    rows.writeTo(table).using("iceberg").createOrReplace()
    return table


FORMATS: Final[Mapping[str, Writer]] = {"delta-spark": _delta, "iceberg": _iceberg}
