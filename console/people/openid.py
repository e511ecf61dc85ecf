"""The OpenID provider's public facts: whether there is one, and the error of a refused login.
``console.people.openid_client`` communicates with it; it is imported only when needed, since its
libraries take 25 MB."""

from typing import Final

from django.conf import settings

ISSUER: Final = "WEB_OIDC_ISSUER"
COOKIE, PATH = "rollcall_openid", "/oidc/"


class LoginRefused(Exception):
    """The login is refused. The text is for the user; ``why`` is for the log and the audit."""

    def __init__(self, text: str, why: str = "") -> None:
        super().__init__(text)
        self.why = why or text


def issuer() -> str:
    """The provider's issuer URL; "": there is none."""
    return str(getattr(settings, ISSUER))
