"""The racks near to a topic's partitions, which operators set: what is valid."""

from collections.abc import Sequence
from typing import Final

from groups.core.errors import ErrorCode, Refuse

RACKS_PER_PARTITION_MAX: Final = 16
"""Racks of one partition: more than any cluster has replicas of it."""

RACK_LENGTH_MAX: Final = 249
"""Characters of a rack's id."""


def check_racks(racks: Sequence[Sequence[str]], partitions: int) -> None:
    """Refuse invalid racks of a topic's partitions: INVALID_REQUEST."""
    if len(racks) > partitions:
        raise Refuse(
            ErrorCode.INVALID_REQUEST,
            f"Racks for {len(racks)} partitions; the topic has {partitions}.",
        )
    for near in racks:
        if len(near) > RACKS_PER_PARTITION_MAX:
            detail = f"A partition is near to at most {RACKS_PER_PARTITION_MAX} racks."
            raise Refuse(ErrorCode.INVALID_REQUEST, detail)
        for rack in near:
            if not rack.strip() or len(rack) > RACK_LENGTH_MAX or "\0" in rack:
                detail = f"A rack's id has 1 to {RACK_LENGTH_MAX} characters, not only spaces."
                raise Refuse(ErrorCode.INVALID_REQUEST, detail)
