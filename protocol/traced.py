"""How a queued request is handled where traces are wanted: with a span from arrival to answer.

A server without traces calls the handler directly (``application.handled``). The fast paths are
never traced, whatever is wanted (docs/tracing.md).
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from protocol.apis import Api
from protocol.call import Call

if TYPE_CHECKING:
    from groups.tracing.spans import NodeSpans

Handled = Callable[[Any, Api, Any, Call], Awaitable[Any]]

UNTRACED: Final = frozenset({"Fetch", "Heartbeat"})
"""They decide nothing, and every consumer sends them all the time: a heartbeat that the fast path
could not answer is answered from the same view."""


def traced(spans: "NodeSpans", handled: Handled) -> Handled:
    """``handled`` in a span of its own."""

    async def in_a_span(server: Any, api: Api, request: Any, call: Call) -> Any:
        if api.name in UNTRACED:
            return await handled(server, api, request, call)
        span = spans.begin(api.name, call.ticket, _said(api, request, call))
        error = None
        try:
            response = await handled(server, api, request, call)
            error = getattr(response, "error_code", 0)
        finally:
            spans.end(call.ticket, span, error)
        return response

    return in_a_span


def _said(api: Api, request: Any, call: Call) -> dict[str, str | int | bool]:
    said: dict[str, str | int | bool] = {
        "rpc.system.name": "kafka",
        "kafka.api.key": api.key,
        "kafka.api.version": call.version,
        "kafka.client.id": call.client_id,
        "client.address": call.client_host.removeprefix("/"),
    }
    group_id = getattr(request, "group_id", None)
    if isinstance(group_id, str):
        said["rollcall.group"] = group_id
    return said
