"""AlterClientQuotas (49): set and remove quotas (KIP-546). They apply on this node when the
response is sent, and on other nodes when these receive the notification."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from groups.clients.quotas import Changes
from groups.core.errors import ErrorCode, Refuse
from groups.core.quotas import forms
from groups.core.quotas.entities import Entity, entity
from groups.core.quotas.forms import Change
from protocol.handlers.support import acl_wire
from protocol.requests.call import Call
from protocol.requests.refusals import Refusal
from rollcall.wire.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    EntryData,
    EntryResult,
)
from rollcall.wire.messages.describe_client_quotas import EntityData

DONE: Final = Refusal(ErrorCode.NONE, "")


async def handle(request: AlterClientQuotasRequest, call: Call) -> AlterClientQuotasResponse:
    """All changes of an entity or none; those of all entities in one transaction."""
    times = Counter(map(_entity, request.entries))
    refusals, wanted = dict.fromkeys(times, DONE), dict[Entity, Mapping[str, float | None]]()
    async for entry in call.each(request.entries):
        entity = _entity(entry)
        try:
            if times[entity] > 1:
                raise forms.twice(entity)
            changes = (Change(op.key, None if op.remove else op.value) for op in entry.ops)
            wanted[entity] = forms.check(entity, changes)
        except Refuse as refusal:
            refusals[entity] = Refusal(refusal.code, refusal.detail or "")
    if not request.validate_only:
        refusals |= dict.fromkeys(wanted, await _alter(wanted, call))
    return AlterClientQuotasResponse(
        entries=[_result(entity, refusals[entity]) for entity in refusals]
    )


def _entity(entry: EntryData) -> Entity:
    """If a type is named twice, the last one counts, as in Kafka."""
    return entity({part.entity_type: part.entity_name for part in entry.entity})


async def _alter(wanted: Changes, call: Call) -> Refusal:
    if not any(wanted.values()):
        return DONE
    try:
        async with acl_wire.asking():
            await call.node.quotas.alter(wanted, call.author.details())
    except Refuse as refusal:
        return Refusal(refusal.code, refusal.detail or "")
    except acl_wire.Unsure:
        return acl_wire.UNSURE
    return DONE


def _result(entity: Entity, refusal: Refusal) -> EntryResult:
    return EntryResult(
        error_code=refusal.number,
        error_message=refusal.detail or None,
        entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
    )
