"""URLs of the web process."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from coordinator_site import health, metrics
from groups.admin import openid

admin.autodiscover()  # the pages, which no other process needs (``admin_site``)

handler400 = "coordinator_site.errors.unreadable"
handler403 = "coordinator_site.errors.refused"
handler404 = "coordinator_site.errors.not_found"
handler500 = "coordinator_site.errors.failed"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("metrics", metrics.metrics),
    path("api/v1/", include("groups.api.urls")),
    path("kafka/v3/", include("groups.api.confluent.urls")),
    path("oidc/login", openid.login, name="openid_login"),
    path("oidc/callback", openid.callback, name="openid_callback"),
    path("admin/", admin.site.urls),
]
