"""DescribeClientQuotas (48): there are none, which ``kafka-configs --describe`` of users asks for
before it looks at their credentials."""

from protocol.call import Call
from rollcall.wire.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)


async def handle(
    _request: DescribeClientQuotasRequest, _call: Call
) -> DescribeClientQuotasResponse:
    """No entity has a quota here."""
    return DescribeClientQuotasResponse(error_message=None, entries=[])
