"""Owners of streams, and of requests that wait, and whether they still have the right: checked
periodically, for all streams at once.

A session ends with a logout, a token with its revocation, and rights may be removed: this process
is not notified of any of these.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone
from rest_framework.request import Request

from console.api.events.streams import Holder
from console.journal_subjects import EVERY_KIND, Kinds
from console.people import rights
from groups.models import ApiToken


def holder_of(request: Request) -> Holder:
    """The owner of a stream, from its request."""
    user: Any = request.user
    token = request.auth
    if isinstance(token, ApiToken):
        return Holder(user.pk, token.pk, "", token.session_hash)
    if user.pk is None:
        return Holder(None, None, "", "")
    session = request._request.session
    return Holder(user.pk, None, str(session.session_key), user.get_session_auth_hash())


def refused(holders: Collection[Holder], needed: str = rights.VIEW_GROUP) -> set[Holder]:
    """The owners without the right, or without a valid session or token."""
    facts = _facts(holders)
    return {holder for holder in holders if not _may(needed, holder, *facts)}


def readable(holders: Collection[Holder]) -> Mapping[Holder, Kinds]:
    """The kinds of entries that each owner may read; without those who may not follow the
    journal."""
    users, tokens, sessions = _facts(holders)
    return {
        holder: EVERY_KIND if holder.user_id is None else rights.kinds(users[holder.user_id])
        for holder in holders
        if _may(rights.VIEW_GROUP, holder, users, tokens, sessions)
    }


def _facts(
    holders: Collection[Holder],
) -> tuple[Mapping[Any, Any], Mapping[int, ApiToken], set[str]]:
    """The active users by id, and the valid tokens and sessions."""
    people = get_user_model().objects.filter(is_active=True)
    users = people.in_bulk({h.user_id for h in holders if h.user_id is not None})
    return users, _tokens(holders), _sessions(holders)


def _tokens(holders: Collection[Holder]) -> Mapping[int, ApiToken]:
    ids = {holder.token_id for holder in holders if holder.token_id is not None}
    living = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return ApiToken.objects.filter(living).in_bulk(ids) if ids else {}


def _sessions(holders: Collection[Holder]) -> set[str]:
    keys = {holder.session_key for holder in holders if holder.session_key}
    found = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    return set(found.values_list("session_key", flat=True)) if keys else set()


def _may(
    needed: str,
    holder: Holder,
    people: Mapping[Any, Any],
    tokens: Mapping[int, ApiToken],
    sessions: set[str],
) -> bool:
    if holder.user_id is None:
        return True
    user = people.get(holder.user_id)
    if user is None or not rights.may(user, needed):
        return False
    if holder.auth_hash and holder.auth_hash != user.get_session_auth_hash():
        return False  # a new password ends every session
    if holder.token_id is None:
        return holder.session_key in sessions
    token = tokens.get(holder.token_id)
    return token is not None and rights.scope_of(needed) in token.scopes
