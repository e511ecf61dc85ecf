"""Authorized operations of topics and the cluster (KIP-430); those of groups: ``group_operations``.

The operations that access rules allow; without an authorizer, all that exist for the resource.
"""

from groups.core.acls.bindings import CLUSTER_NAME, AclOperation, ResourceType
from protocol.handlers.support.group_operations import NOT_REQUESTED
from protocol.requests.access import Open

NOTHING = 0
"""The cluster's, for a client that may not describe it."""


def of_topic(requested: bool, name: str, access: Open) -> int:
    """The bits for a topic, or Kafka's value for "not requested"."""
    return access.operations(ResourceType.TOPIC, name) if requested else NOT_REQUESTED


def of_cluster(requested: bool, access: Open) -> int:
    """The bits for the cluster, or Kafka's value for "not requested"."""
    if not requested:
        return NOT_REQUESTED
    if not access.may(AclOperation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return NOTHING
    return access.operations(ResourceType.CLUSTER)
