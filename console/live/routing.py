"""The paths of websockets, and the origins that may open them."""

import logging
from typing import Any
from urllib.parse import urlsplit

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import AllowedHostsOriginValidator, WebsocketDenier
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.urls import path, re_path

from console.live.consumer import PATH, UNAVAILABLE, GroupConsumer, NoSuchPage

logger = logging.getLogger(__name__)

urlpatterns = [
    path(PATH, GroupConsumer.as_asgi()),
    re_path(r"", NoSuchPage.as_asgi()),
]


class OwnOrigin:
    """Accepts only pages of exactly this address: cookies ignore ports, so a browser sends ours
    with websockets of other services on this machine."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """The same check as Django's for forms: the requested address, or one that the settings
        trust."""
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"").decode("latin-1")
        host = headers.get(b"host", b"").decode("latin-1")
        ours = urlsplit(origin).netloc.lower() == host.lower() != ""
        if ours or origin in settings.CSRF_TRUSTED_ORIGINS:
            await self.application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


class Accepted:
    """Accepts a socket before anything is read, and closes it with a code of its own while the
    database is unavailable, whether it is the session, the user or the group that cannot be read.

    All sockets of a process read in one thread. Where others wait for the database, the handshake
    would last longer than daphne allows, and fail without a reason.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Accept, and serve; or close."""
        connected = await receive()
        await send({"type": "websocket.accept"})

        async def after_connected() -> Any:
            nonlocal connected
            event, connected = connected, None
            return await receive() if event is None else event

        async def accepted(event: Any) -> None:
            if event["type"] != "websocket.accept":
                await send(event)

        try:
            await self.application(scope, after_connected, accepted)
        except (OperationalError, InterfaceError) as error:
            logger.warning("a websocket is refused, since the database is unavailable: %s", error)
            await send({"type": "websocket.close", "code": UNAVAILABLE})


# A browser sends its cookies with a websocket of any page, so the origin is checked first. Then the
# session of the admin identifies the user.
application: Any = AllowedHostsOriginValidator(
    OwnOrigin(Accepted(AuthMiddlewareStack(URLRouter(urlpatterns))))
)
