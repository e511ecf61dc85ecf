"""The ASGI application of the web process. The Kafka port has its own (``runcoordinator``)."""

import os
from typing import Any

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")

http = get_asgi_application()  # first: it sets Django up, and the imports below need models

from django.conf import settings  # noqa: E402

from console.live import routing  # noqa: E402
from coordinator_site.celery import app as celery  # noqa: E402
from web.concurrency import REQUESTS_MAX, Concurrency  # noqa: E402
from web.web_connections import LOOK_S, patient  # noqa: E402

# Otherwise only the thread of this import knows the broker, but requests are processed in
celery.set_default()


async def websockets(scope: Any, receive: Any, send: Any) -> None:
    """Those of pages. Their few statements share one thread, so one that waits for a lock keeps the
    others waiting: each is given up after this time."""
    with patient(LOOK_S):
        await routing.application(scope, receive, send)


application = ProtocolTypeRouter(
    {
        "http": Concurrency(http, getattr(settings, REQUESTS_MAX)),
        "websocket": websockets,
    }
)
