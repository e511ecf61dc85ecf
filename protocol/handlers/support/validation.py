"""Form checks that several handlers share: what a request's strings and sizes may be.

Limits come from settings under their names; U+0000 is refused because PostgreSQL cannot store
it in text, and a name that cannot be stored cannot be served.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from groups.core.errors import ErrorCode, Refuse
from groups.node import NodeSettings

CONSUMER_PROTOCOL = "consumer"
"""How ``group.coordinator.rebalance.protocols`` calls the protocol of KIP-848."""


def group_id(value: str, settings: NodeSettings, *, may_be_empty: bool = False) -> None:
    """Raise INVALID_GROUP_ID for a group id that no group can have."""
    if not value and not may_be_empty:
        raise Refuse(ErrorCode.INVALID_GROUP_ID, "the group id is empty")
    if "\0" in value or len(value.encode()) > settings.group_id_max_bytes:
        raise Refuse(
            ErrorCode.INVALID_GROUP_ID,
            f"a group id has at most {settings.group_id_max_bytes} bytes and no U+0000",
        )


def consumer_protocol(settings: NodeSettings) -> None:
    """Raise UNSUPPORTED_VERSION where the cluster does without KIP-848 (CG-29)."""
    if CONSUMER_PROTOCOL not in settings.group_coordinator_rebalance_protocols:
        raise Refuse(ErrorCode.UNSUPPORTED_VERSION, "The consumer protocol is switched off.")


def transactional_id(value: str, settings: NodeSettings) -> None:
    """Raise INVALID_REQUEST for a transactional id that no producer can have."""
    if not value or "\0" in value or len(value.encode()) > settings.group_id_max_bytes:
        raise Refuse(ErrorCode.INVALID_REQUEST)


def fencing(code: ErrorCode, *, known: bool) -> ErrorCode:
    """PRODUCER_FENCED as a version says it that may not know the code yet (KIP-588)."""
    if code is ErrorCode.PRODUCER_FENCED and not known:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code


NAME_BYTES_MAX: Final[Mapping[str, int]] = {
    "member id": 1_024,
    "instance id": 1_024,
    "protocol type": 1_024,
    "rack id": 1_024,
    "assignor": 1_024,
}
"""The longest names that are stored. Ids are keys of indexes, two of which must fit into the 2,704
bytes that an entry may have; a group id (``group.id.max.bytes``) is no longer. Names of protocols
and of topics that a member brings along count as its metadata (``metadata``)."""

INSTANCE_ID_CHARS_MAX: Final = 249
"""Kafka's own limit, that of a topic's name."""


def name(what: str, value: str | None) -> None:
    """Raise INVALID_REQUEST for a name that is too long to be stored, or has U+0000."""
    storable(value)
    if value is not None and len(value.encode()) > NAME_BYTES_MAX[what]:
        raise Refuse(ErrorCode.INVALID_REQUEST, f"the {what} is too long")


def instance_id(value: str | None) -> None:
    """Raise INVALID_REQUEST for an instance id that no member can have."""
    name("instance id", value)
    if value is not None and len(value) > INSTANCE_ID_CHARS_MAX:
        detail = f"an instance id has at most {INSTANCE_ID_CHARS_MAX} characters"
        raise Refuse(ErrorCode.INVALID_REQUEST, detail)


def metadata(settings: NodeSettings, parts: Iterable[str | bytes | None]) -> None:
    """Raise INVALID_REQUEST where a member brings more along than it may: its subscription in
    all forms, with the names that stand in them."""
    limit, size = settings.member_metadata_max_bytes, 0
    for part in parts:
        if isinstance(part, str):
            storable(part)
            part = part.encode()
        size += len(part or b"")
    if size > limit:
        raise Refuse(ErrorCode.INVALID_REQUEST, f"more than {limit} bytes of metadata")


def storable(*values: str | None) -> None:
    """Raise INVALID_REQUEST for a text with U+0000."""
    if any(value is not None and "\0" in value for value in values):
        raise Refuse(ErrorCode.INVALID_REQUEST, "U+0000 cannot be stored")


ESCAPE = "\uf8ff"
"""Begins what PostgreSQL's text cannot hold, or what looks like that; nobody's own character."""


def stored(text: str) -> str:
    """A client's text as a row can hold it, U+0000 included; ``told`` turns it back."""
    if "\0" not in text and ESCAPE not in text:
        return text
    return text.replace(ESCAPE, f"{ESCAPE}e").replace("\0", f"{ESCAPE}0")


def told(text: str) -> str:
    """A row's text as the client wrote it."""
    if ESCAPE not in text:
        return text
    return text.replace(f"{ESCAPE}0", "\0").replace(f"{ESCAPE}e", ESCAPE)


def shown(value: str) -> str:
    """A client's free text, made storable: it is only ever shown."""
    return value.replace("\0", "\ufffd")[:SENTENCE_CHARS_MAX]


def sentence(value: str | None) -> str | None:
    """The same, where the client may have said nothing."""
    return None if value is None else shown(value)


SENTENCE_CHARS_MAX = 1_000
"""Characters that are kept of a reason, or of a name that is no id."""
