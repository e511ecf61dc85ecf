"""The member library: workers of a group in Python, with every protocol of Rollcall.

    async with Member("127.0.0.1:9092", "packers", ["orders"]) as member:
        async for change in member:
            ...

docs/client.md is its tutorial and reference. It imports nothing of the server: only the standard
library and Kafka's messages (``rollcall.wire``, ``rollcall.wire.messages``).
"""

from rollcall.client.assignors import ASSIGNORS, Assignor, Candidate, Claim
from rollcall.client.assignors.own import ClientAssignor, View, ViewMember
from rollcall.client.blocking import BlockingMember
from rollcall.client.configs import from_config
from rollcall.client.core.events import Change, Kind, Token, TopicPartition
from rollcall.client.core.pausing import Order
from rollcall.client.errors import (
    AuthenticationFailed,
    Closed,
    CommitRefused,
    Ended,
    MemberError,
    NotAssigned,
    Refused,
    Unavailable,
    Unfenced,
    UnknownProtocol,
)
from rollcall.client.member import Member
from rollcall.client.metrics import Metrics
from rollcall.client.worker import Work, Worker, worker

__all__ = [
    "ASSIGNORS",
    "Assignor",
    "AuthenticationFailed",
    "BlockingMember",
    "Candidate",
    "Change",
    "Claim",
    "ClientAssignor",
    "Closed",
    "CommitRefused",
    "Ended",
    "Kind",
    "Member",
    "MemberError",
    "Metrics",
    "NotAssigned",
    "Order",
    "Refused",
    "Token",
    "TopicPartition",
    "Unavailable",
    "Unfenced",
    "UnknownProtocol",
    "View",
    "ViewMember",
    "Work",
    "Worker",
    "from_config",
    "worker",
]
