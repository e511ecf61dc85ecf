"""Bearer tokens of REST: created and verified, never stored in plain text.

A token is 256 random bits, so a plain SHA-256 is sufficient: it cannot be guessed. A token has its
user's rights, restricted to its scopes.
"""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from console.people.rights import SCOPES
from groups.models import ApiToken

BEGINS = "rollcall_"
RANDOM_BYTES = 32
PREFIX_LENGTH = 14
"""Characters of a token's text that are stored for display; the rest is not stored."""

DAYS = 90
"""The default lifetime of a token."""

USED_EVERY = timedelta(minutes=1)
"""Precision of the last use: one write a minute, not one for each request."""


def issue(
    user: Any,
    name: str,
    expires_at: datetime | None = None,
    *,
    scopes: Collection[str] = tuple(SCOPES),
    made_by: str = "",
    ends_with_password: bool = False,
) -> tuple[ApiToken, str]:
    """Create a token for a user; its text is returned here and never again.

    It expires in ``DAYS`` days by default. ``made_by``: its creator, if that is not its user.
    Raises ``ValueError`` for invalid scopes.
    """
    if not scopes or not set(scopes) <= SCOPES.keys():
        raise ValueError(f"A token has one or more of the scopes {', '.join(SCOPES)}.")
    secret = BEGINS + secrets.token_urlsafe(RANDOM_BYTES)
    token = ApiToken.objects.create(
        name=name,
        user=user,
        prefix=secret[:PREFIX_LENGTH],
        digest=digest(secret),
        expires_at=expires_at or timezone.now() + timedelta(days=DAYS),
        scopes=[scope for scope in SCOPES if scope in scopes],
        made_by=made_by or user.get_username(),
        session_hash=user.get_session_auth_hash() if ends_with_password else "",
    )
    return token, secret


def find(secret: str) -> ApiToken | None:
    """The token with this text, or None: unknown, expired, revoked by a password change, or of an
    inactive user."""
    now = timezone.now()
    token = (
        ApiToken.objects.select_related("user")
        .filter(Q(expires_at=None) | Q(expires_at__gt=now), digest=digest(secret))
        .filter(user__is_active=True)
        .first()
    )
    if token is None or _ended_with_password(token):
        return None
    if token.used_at is None or now - token.used_at > USED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)
    return token


def _ended_with_password(token: ApiToken) -> bool:
    is_bound = bool(token.session_hash)
    return is_bound and token.session_hash != token.user.get_session_auth_hash()


def digest(secret: str) -> str:
    """The stored form of a token's text."""
    return hashlib.sha256(secret.encode()).hexdigest()
