"""Authorized operations of groups, for responses that contain them on request (KIP-430).

A bit per operation, by Kafka's operation codes; those of topics and the cluster:
``authorized_operations``.
"""

from groups.core.acls.bindings import ResourceType
from protocol.requests.access import Open

NOT_REQUESTED = -(2**31)


def of_group(requested: bool, group_id: str, access: Open) -> int:
    """The bits for a group, or Kafka's value for "not requested"."""
    return access.operations(ResourceType.GROUP, group_id) if requested else NOT_REQUESTED
