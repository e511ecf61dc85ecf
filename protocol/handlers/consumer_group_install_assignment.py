"""ConsumerGroupInstallAssignment (10011): install an assignment that a member computed."""

from functools import partial

from groups.core.assignors.types import Parts
from groups.core.consumer.member import parts_of
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import InstallAssignment
from groups.core.replies import Installed
from protocol.handlers.support import validation
from protocol.requests.call import Call
from rollcall.wire.messages.consumer_group_install_assignment import (
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupInstallAssignmentResponse,
)


async def handle(
    request: ConsumerGroupInstallAssignmentRequest, call: Call
) -> ConsumerGroupInstallAssignmentResponse:
    """Validate the request, and let the group decide whether to accept the assignment."""
    try:
        validation.consumer_protocol(call.node.settings)
        validation.group_id(request.group_id, call.node.settings)
        validation.name("member id", request.member_id)
        targets = await call.aside(partial(_targets, request))
    except Refuse as refusal:
        return _response(Installed(refusal.code, refusal.detail))
    event = InstallAssignment(
        ticket=call.ticket,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        group_epoch=request.group_epoch,
        targets=targets,
        failure=validation.sentence(request.failure),
    )
    reply = await call.decide(request.group_id, event)
    return _response(reply if isinstance(reply, Installed) else Installed(reply.error))


def _targets(request: ConsumerGroupInstallAssignmentRequest) -> dict[str, Parts]:
    targets: dict[str, Parts] = {}
    for member in request.members:
        if member.member_id in targets:
            raise Refuse(ErrorCode.INVALID_REQUEST, f"{member.member_id} appears more than once.")
        by_id = {t.topic_id.hex: t.partitions for t in member.topic_partitions}
        if len(by_id) < len(member.topic_partitions):
            detail = f"A topic of {member.member_id} appears more than once."
            raise Refuse(ErrorCode.INVALID_REQUEST, detail)
        targets[member.member_id] = parts_of(by_id)
    return targets


def _response(reply: Installed) -> ConsumerGroupInstallAssignmentResponse:
    return ConsumerGroupInstallAssignmentResponse(
        error_code=reply.error, error_message=reply.detail
    )
