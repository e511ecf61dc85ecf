"""Logins with an OpenID provider: the authorization code flow with PKCE, state and nonce.

Authlib makes the requests and checks the ID token; this module passes the expected values. State
between the two requests of a login is in a signed cookie of the browser, so that clients without an
account create no rows. The provider's description and keys are read again after a while, by one
thread at a time.
"""

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from joserfc.errors import JoseError

from console.people.openid import COOKIE, PATH, LoginRefused, issuer
from console.people.shares import Shares

logger = logging.getLogger(__name__)

CLIENT_ID, SCOPES = "WEB_OIDC_CLIENT_ID", "WEB_OIDC_SCOPES"
AUTHORITIES: Final = "HTTPS_CA_LOCATION"
SALT: Final = "rollcall.openid"

FLOW_S: Final = 600
"""The maximum time of a login at the provider."""

KEPT_S, FAILED_S = 300.0, 5.0
"""How long the provider's description and keys are used; and the pause after a failure."""

TIMEOUT_S: Final = 5.0
"""Timeout of each request to the provider; a thread of the web waits for it."""

LEEWAY_S: Final = 30
"""Tolerance for differences between the provider's clock and ours."""

ATTEMPTS_PER_S, ATTEMPTS_OF_ONE_PER_S = 50, 5
"""Codes that are shown to the provider, of all and of one address: whoever brings invented ones
keeps nobody else from logging in."""

ALGORITHMS: Final = frozenset(
    ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
)
"""Accepted signatures of ID tokens: none without a signature, nor with a shared secret."""

SIGNED_BY: Final = "id_token_signing_alg_values_supported"

ENDPOINTS: Final = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "_loaded_at")
"""Required endpoints in the provider's description."""


URLS: Final = ("https://", "http://")

ODD: Final = (
    *(requests.RequestException, AuthlibBaseError, JoseError),
    *(ValueError, LookupError, TypeError, AttributeError, RuntimeError),
)
"""Authlib's exceptions, also for responses of an unexpected type."""


@dataclass
class _FlowRequest:
    """The attributes of a request that Authlib reads. ``session`` is the cookie's, not Django's."""

    method: str
    GET: Mapping[str, str]
    session: dict[str, Any] = field(default_factory=dict)


class Provider:
    """The provider, and its cached description."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._client: Any = None
        self._until = 0.0

    def client(self) -> Any:
        """Authlib's client. Raises ``LoginRefused`` while the provider does not respond."""
        if not self._lock.acquire(timeout=TIMEOUT_S):
            raise LoginRefused("The provider does not answer.")
        try:
            if time.monotonic() >= self._until:
                self._look()
            if self._client is None:
                raise LoginRefused("The provider does not answer.")
            return self._client
        finally:
            self._lock.release()

    def forget(self) -> None:
        """Read the description again."""
        self._until = 0.0

    def _look(self) -> None:
        self._client, self._until = None, time.monotonic() + FAILED_S
        try:
            self._client = _registered_client()
        except ODD as error:
            logger.warning("the OpenID provider is not available: %s", error)
            return
        self._until = time.monotonic() + KEPT_S


PROVIDER: Final = Provider()
_attempts = Shares(ATTEMPTS_OF_ONE_PER_S, ATTEMPTS_PER_S)


def begin(request: HttpRequest, callback: str, then: str) -> HttpResponse:
    """Redirect the browser to the provider, which returns it to ``callback``. ``then`` is kept."""
    flow_request = _FlowRequest("GET", request.GET.dict())
    answer: HttpResponse = PROVIDER.client().authorize_redirect(flow_request, callback)
    answer.set_cookie(
        COOKIE,
        signing.dumps({"flow": flow_request.session, "then": then}, salt=SALT, compress=True),
        max_age=FLOW_S,
        path=PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return answer


def finish(request: HttpRequest) -> tuple[Mapping[str, Any], str]:
    """The verified claims of a user who returned from the provider, and the kept values."""
    kept = _kept(request)
    flow_request = _FlowRequest("GET", request.GET.dict(), kept["flow"])
    client = PROVIDER.client()
    address = str(request.META.get("REMOTE_ADDR", ""))
    if not _attempts.take(address, int(time.monotonic() * 1000)):
        raise LoginRefused("Too many logins at once. Try again.")
    try:
        token = client.authorize_access_token(
            flow_request, claims_options=_options(), leeway=LEEWAY_S
        )
    except ODD as error:
        raise LoginRefused("The provider's answer was refused.", _error_code(error)) from error
    claims = token.get("userinfo")
    if claims is None:
        raise LoginRefused("The provider's answer was refused.", "no ID token")
    return claims, str(kept["then"])


def _kept(request: HttpRequest) -> dict[str, Any]:
    try:
        kept: dict[str, Any] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=FLOW_S
        )
    except signing.BadSignature as error:
        raise LoginRefused("This login took too long, or began elsewhere. Try again.") from error
    return kept


def _registered_client() -> Any:
    client = OAuth().register(
        name="rollcall",
        client_id=getattr(settings, CLIENT_ID),
        client_secret=settings.OIDC_CLIENT_SECRET or None,
        server_metadata_url=f"{issuer().rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": getattr(settings, SCOPES),
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_S,
            "verify": getattr(settings, AUTHORITIES) or True,
        },
    )
    metadata = client.load_server_metadata()
    if metadata["issuer"] != issuer():
        raise ValueError(f"it says that its issuer is {metadata['issuer']!r}")
    algorithms = ALGORITHMS.intersection(metadata.get(SIGNED_BY, ["RS256"]))
    if not algorithms:
        raise ValueError("it signs by nothing that is accepted here")
    client.server_metadata = {
        **{name: metadata[name] for name in ENDPOINTS},
        SIGNED_BY: sorted(algorithms),  # Authlib accepts only these
    }
    _check_addresses(client.server_metadata)
    return client


def _check_addresses(metadata: Mapping[str, Any]) -> None:
    """Codes and tokens must be sent over TLS, as the description itself; or on loopback, as it."""
    schemes = ("https://",) if issuer().startswith("https://") else URLS
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not str(metadata[name]).startswith(schemes):
            raise ValueError(f"its {name} does not begin with {' or '.join(schemes)}")


def _options() -> dict[str, Any]:
    """Required claims of an ID token, besides those that Authlib checks (nonce, iat, azp)."""
    return {
        "iss": {"essential": True, "value": issuer()},
        "aud": {"essential": True, "value": getattr(settings, CLIENT_ID)},
        "exp": {"essential": True},
        "sub": {"essential": True},
        "nonce": {"essential": True},
    }


def _error_code(error: Exception) -> str:
    """An error message without text from the provider or the browser."""
    return str(getattr(error, "error", "") or type(error).__name__)
