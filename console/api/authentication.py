"""Authentication: a bearer token (RFC 6750), the installation's token, or a session's user."""

import secrets
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from console.people import api_tokens, audit


class Installation:
    """A client with ``ROLLCALL_API_TOKEN``: has no row and every right."""

    username = "API token"
    pk = None
    is_active = is_superuser = is_authenticated = True
    is_anonymous = is_staff = False

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Everything."""
        return True

    def get_username(self) -> str:
        """The author in the audit."""
        return self.username


class BearerAuthentication(BaseAuthentication):
    """``Authorization: Bearer TOKEN``."""

    keyword = "Bearer"

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """The token's user; None if there is no bearer token."""
        kind, _, secret = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != self.keyword.lower():
            return None
        own = settings.API_TOKEN
        if own and secrets.compare_digest(own.encode(), secret.strip().encode()):
            return Installation(), None
        token = api_tokens.find(secret.strip())
        if token is None:
            if audit.may_note_refusal(request._request):
                audit.note(request._request, "token", "", "failed", request.path)
            raise AuthenticationFailed("The token is unknown, revoked or expired.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """The header of a 401; for an invalid token with that error (RFC 6750)."""
        has_token = request.headers.get("Authorization", "").lower().startswith("bearer ")
        return 'Bearer realm="rollcall"' + (', error="invalid_token"' if has_token else "")


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The same for the OpenAPI description."""

    target_class = "console.api.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """HTTP bearer."""
        return {"type": "http", "scheme": "bearer"}
