"""The paths of websockets, and who may open one from where."""

from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.urls import path, re_path

from groups.live.consumer import PATH, GroupConsumer, NoSuchPage

urlpatterns = [
    path(PATH, GroupConsumer.as_asgi()),
    re_path(r"", NoSuchPage.as_asgi()),
]

# A browser sends its cookies with any page's websocket, so the page's own origin is checked
# first. Then the session of the admin says who it is.
application: Any = AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(urlpatterns)))
