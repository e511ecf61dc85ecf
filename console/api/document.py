"""The OpenAPI document and the page that shows it; their content comes from the views."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponseRedirect
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.inputs import described
from console.api.views import Checked


class Document(Checked, SpectacularAPIView):
    """The document."""


class Page(Checked, SpectacularSwaggerSplitView):
    """The page, in HTML."""

    metadata_class = None

    @described(exclude=True, parameters=[OpenApiParameter("script", str)])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The page; with ``script`` its script, since inline scripts are not allowed."""
        answer: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return answer

    def handle_exception(self, exc: Exception) -> Any:
        """A browser without a session gets the login, which leads back here; programs a problem."""
        request: Any = self.request
        is_browser = "text/html" in request.headers.get("Accept", "")
        if isinstance(exc, NotAuthenticated) and is_browser:
            query = urlencode({"next": request.get_full_path()})
            return HttpResponseRedirect(f"{reverse('admin:login')}?{query}")
        return super().handle_exception(exc)
