"""The OpenID provider, as everybody may know it: whether there is one, and how a login ends that it
does not allow. What talks to it is ``groups.access.openid_client``, which costs 25 MB of libraries
and is imported by who needs it."""

from typing import Final

from django.conf import settings

ISSUER: Final = "WEB_OIDC_ISSUER"
COOKIE, PATH = "rollcall_openid", "/oidc/"


class Refused(Exception):
    """Nobody is logged in. The text is for the person; ``why`` is for the log and the audit."""

    def __init__(self, text: str, why: str = "") -> None:
        super().__init__(text)
        self.why = why or text


def issuer() -> str:
    """The provider's name, which is its URL; "": there is none."""
    return str(getattr(settings, ISSUER))
