"""DescribeClientQuotas: the quotas of users and client ids (KIP-546)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, float64, int8, int16, int32, string


@struct
class ComponentData(Struct):
    """Which quotas: of a name, of the default, or of any."""

    entity_type: str = wire(string)
    match_type: int = wire(int8)
    match: str | None = wire(string, nullable_since=0)


@message(api_key=48, versions="0-1", flexible="1+")
class DescribeClientQuotasRequest(Message):
    """A filter with all its components; ``strict``: entities without other parts."""

    components: Sequence[ComponentData] = wire(array(ComponentData))
    strict: bool = wire(boolean)


@struct
class EntityData(Struct):
    """A part of an entity: a user, a client id; a null name is the default."""

    entity_type: str = wire(string)
    entity_name: str | None = wire(string, nullable_since=0)


@struct
class ValueData(Struct):
    """One quota."""

    key: str = wire(string)
    value: float = wire(float64)


@struct
class EntryData(Struct):
    """An entity with its quotas."""

    entity: Sequence[EntityData] = wire(array(EntityData))
    values: Sequence[ValueData] = wire(array(ValueData))


@message(api_key=48, versions="0-1", flexible="1+")
class DescribeClientQuotasResponse(Message):
    """The existing quotas."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    entries: Sequence[EntryData] | None = wire(array(EntryData), nullable_since=0)
