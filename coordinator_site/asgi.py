"""The ASGI application of the web process. The Kafka port has its own (``runcoordinator``)."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")

http = get_asgi_application()  # first: it sets Django up, and what follows imports models

from coordinator_site import celery  # noqa: E402, F401  (by it tasks find the broker)
from groups.live import routing  # noqa: E402

application = ProtocolTypeRouter({"http": http, "websocket": routing.application})
