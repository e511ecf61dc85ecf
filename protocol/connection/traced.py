"""The application behind a connection where traces are wanted: each queued request in a span.

A node without traces uses ``application`` as it is. The fast paths are never traced, whatever is
wanted (docs/tracing.md).
"""

from typing import Any, Final

from protocol.connection.application import RequestConsumer
from protocol.requests.api_row import Api
from protocol.requests.call import Call

UNTRACED: Final = frozenset({"Fetch", "Heartbeat"})
"""They decide nothing, and every consumer sends them all the time: a heartbeat that the fast path
could not answer is answered from the same view."""


class TracedConsumer(RequestConsumer):
    """``RequestConsumer`` of a node that has ``spans``."""

    async def _handled(self, server: Any, api: Api, request: Any, call: Call) -> Any:
        if api.name in UNTRACED:
            return await super()._handled(server, api, request, call)
        spans = server.node.spans
        span = spans.begin(api.name, call.ticket, _attributes(api, request, call))
        error = None
        try:
            response = await super()._handled(server, api, request, call)
            error = getattr(response, "error_code", 0)
        finally:
            spans.end(call.ticket, span, error)
        return response


def _attributes(api: Api, request: Any, call: Call) -> dict[str, str | int | bool]:
    attributes: dict[str, str | int | bool] = {
        "rpc.system.name": "kafka",
        "kafka.api.key": api.key,
        "kafka.api.version": call.version,
        "kafka.client.id": call.client_id,
        "client.address": call.client_host.removeprefix("/"),
    }
    group_id = getattr(request, "group_id", None)
    if isinstance(group_id, str):
        attributes["rollcall.group"] = group_id
    return attributes
