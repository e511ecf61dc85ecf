"""DescribeClientQuotas (48): the quotas that match a filter (KIP-546)."""

from collections.abc import Iterable, Mapping

from groups.core.errors import Refuse
from groups.core.quotas.entities import Entity
from protocol.handlers.support.quota_filters import Component, filter_of
from protocol.requests.call import Call
from rollcall.wire.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)


async def handle(request: DescribeClientQuotasRequest, call: Call) -> DescribeClientQuotasResponse:
    """The quotas that this node has in memory."""
    components = (Component(c.entity_type, c.match_type, c.match) for c in request.components)
    try:
        entity_filter = filter_of(components, is_strict=request.strict)
    except Refuse as refusal:
        return DescribeClientQuotasResponse(
            error_code=refusal.code, error_message=refusal.detail, entries=None
        )
    quotas = call.node.quotas.index.quotas
    return await call.beside(
        lambda: _response(e for e in quotas.items() if entity_filter.matches(e[0]))
    )


def _response(
    found: Iterable[tuple[Entity, Mapping[str, float]]],
) -> DescribeClientQuotasResponse:
    entries = [
        EntryData(
            entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
            values=[ValueData(key=key, value=value) for key, value in values.items()],
        )
        for entity, values in found
    ]
    # Kafka returns "" here, where other APIs return null.
    return DescribeClientQuotasResponse(error_message="", entries=entries)
