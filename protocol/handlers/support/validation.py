"""Checks of strings and sizes that several handlers share.

Limits come from settings under their names; U+0000 is refused because PostgreSQL cannot store it in
text.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from groups.core.errors import ErrorCode, Refuse
from groups.node import NodeSettings

CONSUMER_PROTOCOL = "consumer"
"""The name of KIP-848's protocol in ``group.coordinator.rebalance.protocols``."""


def group_id(value: str, settings: NodeSettings, *, may_be_empty: bool = False) -> None:
    """Raise INVALID_GROUP_ID for an invalid group id."""
    if not value and not may_be_empty:
        raise Refuse(ErrorCode.INVALID_GROUP_ID, "the group id is empty")
    if "\0" in value or len(value.encode()) > settings.group_id_max_bytes:
        raise Refuse(
            ErrorCode.INVALID_GROUP_ID,
            f"a group id has at most {settings.group_id_max_bytes} bytes and no U+0000",
        )


def consumer_protocol(settings: NodeSettings) -> None:
    """Raise UNSUPPORTED_VERSION if KIP-848 is disabled in the cluster (CG-29)."""
    if CONSUMER_PROTOCOL not in settings.group_coordinator_rebalance_protocols:
        raise Refuse(ErrorCode.UNSUPPORTED_VERSION, "The consumer protocol is switched off.")


def transactional_id(value: str, settings: NodeSettings) -> None:
    """Raise INVALID_REQUEST for an invalid transactional id."""
    if not value or "\0" in value or len(value.encode()) > settings.group_id_max_bytes:
        raise Refuse(ErrorCode.INVALID_REQUEST)


def fencing(code: ErrorCode, *, known: bool) -> ErrorCode:
    """PRODUCER_FENCED, or the older code for a version that does not know it (KIP-588)."""
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
"""The maximum length of stored names. Ids are keys of indexes, and two of them must fit into the
2,704 bytes of an index entry; a group id (``group.id.max.bytes``) is no longer. Names of protocols
and topics that a member sends count as its metadata (``metadata``)."""

INSTANCE_ID_CHARS_MAX: Final = 249
"""Kafka's own limit, that of a topic's name."""


def name(what: str, value: str | None) -> None:
    """Raise INVALID_REQUEST for a name that is too long or contains U+0000."""
    storable(value)
    if value is not None and len(value.encode()) > NAME_BYTES_MAX[what]:
        raise Refuse(ErrorCode.INVALID_REQUEST, f"the {what} is too long")


def instance_id(value: str | None) -> None:
    """Raise INVALID_REQUEST for an invalid instance id."""
    name("instance id", value)
    if value is not None and len(value) > INSTANCE_ID_CHARS_MAX:
        detail = f"an instance id has at most {INSTANCE_ID_CHARS_MAX} characters"
        raise Refuse(ErrorCode.INVALID_REQUEST, detail)


def metadata(settings: NodeSettings, parts: Iterable[str | bytes | None]) -> None:
    """Raise INVALID_REQUEST if a member's subscription is too large, in all its forms, with the
    names in them."""
    limit, size = settings.member_metadata_max_bytes, 0
    for part in parts:
        if isinstance(part, str):
            storable(part)
            part = part.encode()
        size += len(part or b"")
    if size > limit:
        raise Refuse(ErrorCode.INVALID_REQUEST, f"more than {limit} bytes of metadata")


def storable(*values: str | None) -> None:
    """Raise INVALID_REQUEST if a text contains U+0000."""
    if any(value is not None and "\0" in value for value in values):
        raise Refuse(ErrorCode.INVALID_REQUEST, "U+0000 cannot be stored")


ESCAPE = "\uf8ff"
"""Begins an escape sequence for a character that PostgreSQL's text cannot hold, or for itself; a
private-use character that texts do not contain."""


def stored(text: str) -> str:
    """A client's text as stored in a row, with U+0000 escaped; ``restored`` is the reverse."""
    if "\0" not in text and ESCAPE not in text:
        return text
    return text.replace(ESCAPE, f"{ESCAPE}e").replace("\0", f"{ESCAPE}0")


def restored(text: str) -> str:
    """A row's text as the client wrote it."""
    if ESCAPE not in text:
        return text
    return text.replace(f"{ESCAPE}0", "\0").replace(f"{ESCAPE}e", ESCAPE)


def shown(value: str) -> str:
    """A client's free text, made storable: it is only displayed."""
    return value.replace("\0", "\ufffd")[:SENTENCE_CHARS_MAX]


def sentence(value: str | None) -> str | None:
    """``shown``, or None if the client sent no text."""
    return None if value is None else shown(value)


SENTENCE_CHARS_MAX = 1_000
"""Maximum length of a reason, or of a name that is not an id."""
