"""Authorized operations of groups, as several answers tell them when asked (KIP-430).

A bit per operation, by Kafka's operation codes; those of topics and the cluster:
``authorized_operations``. There are no access rules yet, so whoever may ask may do everything that
exists on the resource.
"""

NOT_ASKED = -(2**31)

READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE = 3, 4, 5, 6, 7, 8
CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS = 9, 10, 11

GROUP = sum(1 << code for code in (READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS))


def of_group(asked: bool) -> int:
    """The bits for a group, or Kafka's "was not asked"."""
    return GROUP if asked else NOT_ASKED
