"""Converts ACLs between the numbers on the wire and the rules, for the three APIs of ACLs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Protocol

import psycopg
from psycopg_pool import PoolTimeout

from groups.clients.acls import Acls
from groups.core.acls import forms
from groups.core.acls.bindings import Filter
from groups.core.errors import ErrorCode
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from protocol.requests.refusals import Refusal

DISABLED: Final = Refusal(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.")
UNSURE: Final = Refusal(
    WireCode.REQUEST_TIMED_OUT, "The database did not answer; it may have been changed or not."
)


class Unsure(Exception):
    """PostgreSQL did not answer: the change may have been made or not."""


class WireFilter(Protocol):
    """A filter as DescribeAcls and DeleteAcls have it."""

    resource_type_filter: int
    resource_name_filter: str | None
    pattern_type_filter: int
    principal_filter: str | None
    host_filter: str | None
    operation: int
    permission_type: int


def filter_of(requested: WireFilter) -> Filter:
    """The requested filter; raises ``Refuse`` with INVALID_REQUEST."""
    return forms.filter_of(
        (
            requested.resource_type_filter,
            requested.pattern_type_filter,
            requested.operation,
            requested.permission_type,
        ),
        (requested.resource_name_filter, requested.principal_filter, requested.host_filter),
    )


def acls(call: Call) -> Acls | None:
    """The rules; None without an authorizer."""
    return call.node.acls


@asynccontextmanager
async def asking() -> AsyncIterator[None]:
    """Converts errors of PostgreSQL to ``Unsure``."""
    try:
        yield
    except (psycopg.OperationalError, PoolTimeout, TimeoutError) as error:
        raise Unsure(str(error)) from error
