"""Authorized operations of topics and the cluster (KIP-430); those of groups: ``group_operations``.

What an access rule allows, or, where no authorizer is on, all that exists on the resource.
"""

from groups.core.acls.bindings import CLUSTER_NAME, Operation, ResourceType
from protocol.authorization.access import Open
from protocol.handlers.support.group_operations import NOT_ASKED

NOTHING = 0
"""Of the cluster, to somebody who may not describe it."""


def of_topic(asked: bool, name: str, access: Open) -> int:
    """The bits for a topic, or Kafka's "was not asked"."""
    return access.operations(ResourceType.TOPIC, name) if asked else NOT_ASKED


def of_cluster(asked: bool, access: Open) -> int:
    """The bits for the cluster, or Kafka's "was not asked"."""
    if not asked:
        return NOT_ASKED
    if not access.may(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return NOTHING
    return access.operations(ResourceType.CLUSTER)
