"""The cluster's id. One statement."""

from django.db import connection

from groups.postgres import timeline_sql as sql
from groups.postgres.timeline import cluster_id


def current_id() -> str:
    """The id that Kafka clients receive in Metadata and DescribeCluster."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SYSTEM)
        (system_identifier,) = cursor.fetchone()
    return cluster_id(system_identifier)
