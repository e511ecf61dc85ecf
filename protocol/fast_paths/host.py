"""The interface of the server that a connection uses."""

import asyncio
from typing import Any, Protocol

from groups.node import Node
from groups.runtime.runtime import CoordinatorRuntime
from protocol.fast_paths.heartbeat_hold import Ends
from protocol.limits.budgets import Admission, ReplyBytes, RequestBytes
from protocol.limits.metering import Metering
from protocol.requests.call import PendingReplies
from protocol.requests.pace import KnownPaces
from protocol.requests.turns import TurnQueue, Turns


class Host(Protocol):
    """Implemented by ``protocol.server.CoordinatorServer``."""

    admission: Admission
    pending_replies: PendingReplies
    closing: TurnQueue[Any]
    ended: TurnQueue[Any]
    ends: Ends
    loop: asyncio.AbstractEventLoop
    metering: Metering
    node: Node
    paces: KnownPaces
    reply_bytes: ReplyBytes
    request_bytes: RequestBytes
    turns: Turns

    @property
    def coordinator(self) -> CoordinatorRuntime: ...
    @property
    def frame_bytes_max(self) -> int: ...
    @property
    def hold_s_max(self) -> float: ...
    @property
    def loop_ms(self) -> int: ...
    @property
    def first_s_max(self) -> float: ...
    @property
    def read_s_max(self) -> float: ...
    @property
    def unread_s_max(self) -> float: ...
    @property
    def idle_s_max(self) -> float: ...

    def count(self, api: str, seconds: float = 0.0, error: int = 0) -> None: ...
    def protocol_connected(self, connection: Any) -> None: ...
    def protocol_disconnected(self, connection: Any) -> None: ...
    def open_application(self, connection: Any) -> "asyncio.Queue[Any] | None": ...
    def cancel_application(self, connection: Any) -> None: ...
