"""How members are named."""

from pyspark.sql import Column
from pyspark.sql import functions as f


def client() -> Column:
    """How the client of a life is named: by its instance id, else its client id and address."""
    named = f.concat("client_id", f.lit(" at "), "client_host")
    return f.coalesce("instance_id", named)
