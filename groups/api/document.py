"""The OpenAPI document and the page that shows it; the views tell what it says."""

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from groups.api.views import Checked


class Document(Checked, SpectacularAPIView):
    """The document."""


class Page(Checked, SpectacularSwaggerView):
    """The page, in HTML."""

    metadata_class = None
