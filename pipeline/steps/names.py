"""What steps have in common: how members are named, and how tables are joined."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f


def small(frame: DataFrame) -> DataFrame:
    """The smaller side of a join by group: each task hashes its groups' rows, and the other side is
    not sorted."""
    return frame.hint("shuffle_hash")


def client() -> Column:
    """How the client of a life is named: by its instance id, else its client id and address."""
    named = f.concat("client_id", f.lit(" at "), "client_host")
    return f.coalesce("instance_id", named)
