"""Changes of client quotas in the admin and over REST, on a Django connection.

Nodes use ``groups.clients.quotas``; both follow the rules of ``groups.core.quotas`` and execute the
statements of ``groups.store.sql.quotas``, this side as functions of the database.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from console.operations import client_functions as functions
from groups.clients.quotas import COLUMN_OF, columns_of, differences, values_of
from groups.core.authors import AuthorDetails
from groups.core.errors import ErrorCode, Refuse
from groups.core.quotas import forms
from groups.core.quotas.entities import Entity, entity
from groups.core.quotas.forms import Change
from groups.models import QuotaEntity
from groups.store.sql import quotas as sql

MOST: Final = "CLIENT_QUOTAS_MAX"

Changes = Mapping[str, float | None]
"""Quotas by key; None: to be removed."""

NOTHING: Final = Refuse(ErrorCode.INVALID_REQUEST, "At least one quota is required.")


def entity_of(row: QuotaEntity) -> Entity:
    """The entity of a row."""
    names = {kind: getattr(row, COLUMN_OF[kind]) or None for kind in row.entity_type.split(" ")}
    return entity(names)


def matching(parts: Mapping[str, str | None]) -> QuerySet[QuotaEntity]:
    """Entities that have all these parts; None is the default."""
    rows = QuotaEntity.objects.all()
    for kind, name in parts.items():
        of_kind = Q(entity_type__regex=f"(^| ){kind}( |$)")
        rows = rows.filter(of_kind, (COLUMN_OF[kind], name or ""))
    return rows


def existing(entity: Entity) -> QuotaEntity | None:
    """The row of exactly this entity."""
    row: QuotaEntity | None = (
        matching(dict(entity)).filter(entity_type=" ".join(kind for kind, _ in entity)).first()
    )
    return row


def row_of(entity: Entity, quotas: Mapping[str, float], at: datetime | None) -> QuotaEntity:
    """An entity with these quotas as a row that is not written."""
    names = {COLUMN_OF[kind]: name or "" for kind, name in entity}
    kinds = " ".join(kind for kind, _ in entity)
    values: dict[str, Any] = {**names, "entity_type": kinds, "quotas": quotas, "updated_at": at}
    return QuotaEntity(**values)


def check(entity: Entity, changes: Changes) -> None:
    """Refuse invalid changes: INVALID_REQUEST, POLICY_VIOLATION."""
    _check(entity, changes)
    differences(_there(), {entity: changes}, getattr(settings, MOST))


def alter(entity: Entity, changes: Changes, author: AuthorDetails) -> bool:
    """Set and remove quotas of an entity, all or none; returns whether anything changed. Nodes are
    notified at once. Refuses as ``check``."""
    _check(entity, changes)
    author_text = json.dumps(author)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(sql.TURN)
        put, drop = differences(_there(), {entity: changes}, getattr(settings, MOST))
        if drop:
            *key, _values = columns_of(drop).values()
            functions.REMOVE_QUOTAS.changes(*map(list, key), author_text)
        if put:
            functions.SET_QUOTAS.changes(*map(list, columns_of(put).values()), author_text)
    return bool(put or drop)


def _check(entity: Entity, changes: Changes) -> None:
    if not changes:
        raise NOTHING
    forms.check(entity, (Change(*change) for change in changes.items()))


def _there() -> dict[Entity, dict[str, float]]:
    with connection.cursor() as cursor:
        cursor.execute(sql.ALL)
        return values_of(cursor.fetchall())
