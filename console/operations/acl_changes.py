"""Changes of ACLs in the admin and over REST, on a Django connection.

Nodes use ``groups.clients.acls``; both follow the rules of ``groups.core.acls`` and execute the
statements of ``groups.store.sql.acls``, this side as functions of the database.
"""

import json
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet, Value

from console.operations import client_functions as functions
from groups.core.acls import forms
from groups.core.acls.bindings import (
    ANY_NAME,
    Binding,
    Filter,
    PatternType,
)
from groups.core.authors import AuthorDetails
from groups.core.errors import ErrorCode, Refuse
from groups.models import Acl
from groups.store.sql import acls as sql

OFF: Final = Refuse(
    ErrorCode.SECURITY_DISABLED,
    "The authorizer is off (the setting authorizer): ACLs have no effect.",
)


AUTHORIZER, MOST = "AUTHORIZER", "ACLS_MAX"


def is_on() -> bool:
    """Whether ACLs are enforced for clients."""
    return bool(getattr(settings, AUTHORIZER) == "on")


def binding(acl: Acl) -> Binding:
    """The binding of a row. An unknown word of a newer version is a KeyError."""
    return Binding.of_words(*(getattr(acl, column) for column in Binding._fields))


def matching(acl_filter: Filter) -> QuerySet[Acl]:
    """The rows that match a filter, as ``Filter.matches`` does for bindings."""
    rows = Acl.objects.filter(_names(acl_filter))
    for name, word in (
        ("resource_type", acl_filter.resource_type),
        ("operation", acl_filter.operation),
        ("permission", acl_filter.permission),
    ):
        if word.name != "ANY":
            rows = rows.filter((name, word.name))
    for name, text in (("principal", acl_filter.principal), ("host", acl_filter.host)):
        if text is not None:
            rows = rows.filter((name, text))
    if acl_filter.name is not None and acl_filter.pattern is PatternType.MATCH:
        rows = rows.alias(filter_name=Value(acl_filter.name))
        covering = Q(pattern="PREFIXED", filter_name__startswith=F("name"))
        rows = rows.filter(
            covering | ~Q(pattern="PREFIXED") & Q(name__in=(acl_filter.name, ANY_NAME))
        )
    return rows


def _names(acl_filter: Filter) -> Q:
    """The condition on the name, without MATCH."""
    if acl_filter.pattern is PatternType.MATCH:
        return Q()
    meant = Q() if acl_filter.pattern is PatternType.ANY else Q(pattern=acl_filter.pattern.name)
    return meant if acl_filter.name is None else meant & Q(name=acl_filter.name)


def check(binding: Binding) -> None:
    """Refuse a binding that cannot be created now: SECURITY_DISABLED, INVALID_REQUEST,
    POLICY_VIOLATION."""
    if not is_on():
        raise OFF
    forms.check(binding)
    most = getattr(settings, MOST)
    if not matching(Filter(*binding)).exists() and Acl.objects.count() >= most:
        detail = f"There may be {most} ACLs (acls.max)."
        raise Refuse(ErrorCode.POLICY_VIOLATION, detail)


def existing(binding: Binding) -> Acl | None:
    """The row of exactly this binding, if it exists."""
    return matching(Filter(*binding)).first()


def create(binding: Binding, author: AuthorDetails) -> tuple[Acl, bool]:
    """Create it; returns the row, and whether it is new. Nodes are notified at once. Refuses as
    ``check``."""
    with transaction.atomic():
        _turn()
        check(binding)
        columns = [[word.name if isinstance(word, IntEnum) else word] for word in binding]
        is_new = functions.CREATE_ACLS.changes(*columns, json.dumps(author))
        return matching(Filter(*binding)).get(), is_new


def delete(acl_filter: Filter, author: AuthorDetails) -> list[Acl]:
    """Delete and return the bindings that match the filter. Refuses SECURITY_DISABLED."""
    if not is_on():
        raise OFF
    with transaction.atomic():
        _turn()
        return delete_rows(list(matching(acl_filter).order_by("id")), author)


def delete_rows(rows: Sequence[Acl], author: AuthorDetails) -> list[Acl]:
    """Delete these rows."""
    if not is_on():
        raise OFF
    if rows:
        columns = [[getattr(row, column) for row in rows] for column in sql.COLUMNS]
        functions.DELETE_ACLS.changes(*columns, json.dumps(author))
    return list(rows)


def _turn() -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.TURN)
