"""Bearer tokens of REST: made, found, and never kept in the clear.

A token is 256 random bits, so a plain SHA-256 of it is enough: there is nothing to guess.
What a token may do is what its user may.
"""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from groups.models import ApiToken

BEGINS = "rollcall_"
RANDOM_BYTES = 32
PREFIX_LENGTH = 14
"""Of a token's text, to be told apart by people; the rest stays unknown."""

USED_EVERY = timedelta(minutes=1)
"""How exactly the last use is noted: a write a minute, not a request."""


def issue(user: Any, name: str, expires_at: datetime | None = None) -> tuple[ApiToken, str]:
    """Make a token for a user; its text is returned here and never again."""
    secret = BEGINS + secrets.token_urlsafe(RANDOM_BYTES)
    token = ApiToken.objects.create(
        name=name,
        user=user,
        prefix=secret[:PREFIX_LENGTH],
        digest=digest(secret),
        expires_at=expires_at,
    )
    return token, secret


def find(secret: str) -> ApiToken | None:
    """The token of this text, or None: unknown, expired, or of a user who may not come in."""
    now = timezone.now()
    token = (
        ApiToken.objects.select_related("user")
        .filter(Q(expires_at=None) | Q(expires_at__gt=now), digest=digest(secret))
        .filter(user__is_active=True)
        .first()
    )
    if token is not None and (token.used_at is None or now - token.used_at > USED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)
    return token


def digest(secret: str) -> str:
    """What is stored of a token's text."""
    return hashlib.sha256(secret.encode()).hexdigest()
