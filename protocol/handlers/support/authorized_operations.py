"""Authorized operations of topics and the cluster (KIP-430); those of groups: ``group_operations``.

There are no access rules yet: whoever may ask may do all that exists on the resource.
"""

from protocol.handlers.support.group_operations import (
    ALTER,
    ALTER_CONFIGS,
    CLUSTER_ACTION,
    CREATE,
    DELETE,
    DESCRIBE,
    DESCRIBE_CONFIGS,
    NOT_ASKED,
    READ,
    WRITE,
)

IDEMPOTENT_WRITE = 12

TOPIC_OPERATIONS = (READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS)
CLUSTER_OPERATIONS = (
    CREATE,
    ALTER,
    DESCRIBE,
    CLUSTER_ACTION,
    DESCRIBE_CONFIGS,
    ALTER_CONFIGS,
    IDEMPOTENT_WRITE,
)

_TOPIC = sum(1 << code for code in TOPIC_OPERATIONS)
_CLUSTER = sum(1 << code for code in CLUSTER_OPERATIONS)


def of_topic(asked: bool) -> int:
    """The bits for a topic, or Kafka's "was not asked"."""
    return _TOPIC if asked else NOT_ASKED


def of_cluster(asked: bool) -> int:
    """The bits for the cluster, or Kafka's "was not asked"."""
    return _CLUSTER if asked else NOT_ASKED
