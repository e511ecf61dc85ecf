"""An OpenID provider on loopback, made of Authlib's server side: it checks redirect URI, client
secret, PKCE and that a code is used once. ``says`` is its claims about the user; ``forges``
spoils its next ID tokens.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from authlib.common.security import generate_token
from authlib.oauth2.rfc6749 import AuthorizationServer, ClientMixin, OAuth2Request
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core.grants import OpenIDCode
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.keys import KEY

CLIENT, SECRET = "rollcall", "a secret of the client"
Forge = Callable[[dict[str, Any]], str]
"""An ID token in place of the right one, whose claims it is given."""


def signed(claims: Mapping[str, Any], key: RSAKey = KEY, algorithm: str = "RS256") -> str:
    """An ID token with these claims."""
    header = {"alg": algorithm, "kid": "one"}
    return jwt.encode(header, dict(claims), key, [algorithm])


class _Client(ClientMixin):  # type: ignore[misc]  # Authlib has no types
    """The one that is registered: this is what the grant asks of it."""

    def __init__(self, callback: str) -> None:
        self.callback = callback

    def get_client_id(self) -> str:
        return CLIENT

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri == self.callback

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "client_secret_basic"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass
class _Code:
    """The request with a code."""

    redirect_uri: str
    scope: str
    nonce: str
    code_challenge: str
    code_challenge_method: str

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope


@dataclass
class Provider:
    """What it knows. ``asked`` are the paths of requests."""

    issuer: str
    callback: str
    says: dict[str, Any] = field(default_factory=dict)
    forges: Forge = signed
    described: dict[str, Any] = field(default_factory=dict)
    codes: dict[str, _Code] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def description(self) -> dict[str, Any]:
        """What it publishes of itself."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["RS256", "none", "HS256"],
            "response_types_supported": ["code"],
            **self.described,
        }


def _grant(provider: Provider) -> type[Any]:
    class Grant(AuthorizationCodeGrant):  # type: ignore[misc]  # Authlib has no types
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic",)

        def save_authorization_code(self, code: str, request: Any) -> None:
            data = request.payload.data
            names = ("redirect_uri", "scope", "nonce", "code_challenge", "code_challenge_method")
            provider.codes[code] = _Code(*(data[name] for name in names))

        def query_authorization_code(self, code: str, client: Any) -> _Code | None:
            return provider.codes.pop(code, None)

        def delete_authorization_code(self, authorization_code: _Code) -> None:
            """It is gone already."""

        def authenticate_user(self, authorization_code: _Code) -> str:
            return "somebody"

    return Grant


class _IdTokens(OpenIDCode):  # type: ignore[misc]  # Authlib has no types
    def __init__(self, provider: Provider) -> None:
        super().__init__(require_nonce=True)
        self.provider = provider

    def exists_nonce(self, nonce: str, request: Any) -> bool:
        return any(code.nonce == nonce for code in self.provider.codes.values())

    def encode_id_token(self, token: Any, request: Any) -> str:
        now = int(time.time())
        claims = {
            "iss": self.provider.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": request.authorization_code.nonce,
            **self.provider.says,
        }
        return self.provider.forges(claims)


class _Server(AuthorizationServer):  # type: ignore[misc]  # Authlib has no types
    """Requests and answers as ``_Handler`` has them."""

    def __init__(self, provider: Provider) -> None:
        super().__init__()
        self.client = _Client(provider.callback)
        self.register_grant(_grant(provider), [CodeChallenge(required=True), _IdTokens(provider)])
        self.register_token_generator(
            "default", BearerTokenGenerator(lambda *_, **__: generate_token(20))
        )

    def query_client(self, client_id: str) -> _Client | None:
        return self.client if client_id == CLIENT else None

    def save_token(self, token: Any, request: Any) -> None:
        """Disabled."""

    def create_oauth2_request(self, request: Any) -> Any:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> Any:
        return status, body, dict(headers)

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Nobody listens."""


class _Request(OAuth2Request):  # type: ignore[misc]  # Authlib has no types
    def __init__(self, method: str, uri: str, fields: dict[str, str], headers: Any) -> None:
        super().__init__(method, uri, headers=headers)
        self.payload = BasicOAuth2Payload(fields)
        self._fields = fields

    @property
    def args(self) -> dict[str, str]:
        return self._fields if self.method == "GET" else {}

    @property
    def form(self) -> dict[str, str]:
        return self._fields if self.method == "POST" else {}


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    server = _Server(provider)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            provider.asked.append(url.path)
            if url.path == "/.well-known/openid-configuration":
                self._answer(200, provider.description(), {})
            elif url.path == "/keys":
                self._answer(200, {"keys": [KEY.as_dict(private=False)]}, {})
            else:
                asked = self._asked("GET", url.query)
                grant = server.get_consent_grant(asked, end_user="somebody")
                self._answer(
                    *server.create_authorization_response(asked, grant_user="somebody", grant=grant)
                )

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(*server.create_token_response(self._asked("POST", body)))

        def _asked(self, method: str, query: str) -> _Request:
            # Authlib refuses plain HTTP, which loopback has here.
            uri = f"https://provider{self.path}"
            return _Request(method, uri, dict(parse_qsl(query)), dict(self.headers))

        def _answer(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Quietly."""

    return Handler


@contextmanager
def serving(callback: str) -> Iterator[Provider]:
    """A provider whose client comes back at ``callback``."""
    listener = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    provider = Provider(f"http://127.0.0.1:{listener.server_address[1]}", callback)
    listener.RequestHandlerClass = _handler(provider)
    thread = threading.Thread(target=listener.serve_forever)
    thread.start()
    try:
        yield provider
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()
