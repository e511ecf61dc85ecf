"""AlterClientQuotas: set and remove quotas of users, client ids and addresses (KIP-546)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, float64, int16, int32, string
from rollcall.wire.messages.describe_client_quotas import EntityData


@struct
class OpData(Struct):
    """One quota to set, or to remove regardless of its value."""

    key: str = wire(string)
    value: float = wire(float64)
    remove: bool = wire(boolean)


@struct
class EntryData(Struct):
    """An entity and its changes."""

    entity: Sequence[EntityData] = wire(array(EntityData))
    ops: Sequence[OpData] = wire(array(OpData))


@message(api_key=49, versions="0-1", flexible="1+")
class AlterClientQuotasRequest(Message):
    """Changes by entity; with ``validate_only`` nothing is changed."""

    entries: Sequence[EntryData] = wire(array(EntryData))
    validate_only: bool = wire(boolean)


@struct
class EntryResult(Struct):
    """The result for one entity: all of its changes, or none."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    entity: Sequence[EntityData] = wire(array(EntityData))


@message(api_key=49, versions="0-1", flexible="1+")
class AlterClientQuotasResponse(Message):
    """A result for each entity."""

    throttle_time_ms: int = wire(int32)
    entries: Sequence[EntryResult] = wire(array(EntryResult))
