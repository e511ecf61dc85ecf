"""InitProducerId (22): return a producer id and epoch, and fence the previous producer of a
transactional id (KIP-98, KIP-360)."""

from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode, Refuse
from groups.core.transactions import NO_EPOCH, NO_ID, Claim
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

FENCED_SINCE = 4
"""Clients of earlier versions know only INVALID_PRODUCER_EPOCH (KIP-588)."""


async def handle(request: InitProducerIdRequest, call: Call) -> InitProducerIdResponse:
    """A producer id and epoch that no other producer has."""
    try:
        if request.transactional_id is None:
            _check_idempotent(call)
            _claim(request)  # checked without a transactional id too, as in Kafka
            return _granted(await call.node.transactions.draw_producer_id(), 0)
        return await _initialise(request, request.transactional_id, call)
    except Refuse as refusal:
        code = validation.fencing(refusal.code, known=call.version >= FENCED_SINCE)
        return InitProducerIdResponse(error_code=code, producer_epoch=NO_EPOCH)


async def _initialise(
    request: InitProducerIdRequest, transactional_id: str, call: Call
) -> InitProducerIdResponse:
    validation.transactional_id(transactional_id, call.node.settings)
    claim = _claim(request)
    _check(request, call.node.settings.transaction_max_timeout_ms)
    await call.available_or_refuse(transactional_id)
    producer = await call.node.transactions.initialise(
        transactional_id, request.transaction_timeout_ms, claim
    )
    return _granted(producer.producer_id, producer.epoch)


def _claim(request: InitProducerIdRequest) -> Claim | None:
    """The id and epoch that the producer claims to have; half a claim is an error."""
    missing = (request.producer_id == NO_ID, request.producer_epoch == NO_EPOCH)
    if all(missing):
        return None
    if any(missing):
        raise Refuse(ErrorCode.INVALID_REQUEST)
    return Claim(request.producer_id, request.producer_epoch)


def _check_idempotent(call: Call) -> None:
    """KIP-679: a client that may write to any topic may be idempotent."""
    access = call.access
    is_allowed = access.may(AclOperation.IDEMPOTENT_WRITE, ResourceType.CLUSTER)
    if not is_allowed and not access.may_any(AclOperation.WRITE, ResourceType.TOPIC):
        raise Refuse(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)


def _check(request: InitProducerIdRequest, timeout_ms_max: int) -> None:
    if request.enable2_pc:  # as Kafka where transaction.two.phase.commit.enable is off
        raise Refuse(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if request.keep_prepared_txn:
        raise Refuse(ErrorCode.UNSUPPORTED_VERSION)
    if not 0 < request.transaction_timeout_ms <= timeout_ms_max:
        raise Refuse(ErrorCode.INVALID_TRANSACTION_TIMEOUT)


def _granted(producer_id: int, epoch: int) -> InitProducerIdResponse:
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=epoch)
