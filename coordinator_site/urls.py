"""URLs of the web process."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from console.admin import openid
from web import health, metrics

admin.autodiscover()  # the pages, which no other process needs (``admin_site``)

handler400 = "web.errors.unreadable"
handler403 = "web.errors.refused"
handler404 = "web.errors.not_found"
handler500 = "web.errors.failed"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("metrics", metrics.metrics),
    path("api/v1/", include("console.api.urls")),
    path("kafka/v3/", include("console.api.confluent.urls")),
    path("oidc/login", openid.login, name="openid_login"),
    path("oidc/callback", openid.callback, name="openid_callback"),
    path("admin/", admin.site.urls),
]
