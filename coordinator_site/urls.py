"""URLs of the web process."""

from django.contrib import admin
from django.urls import path

from coordinator_site import health

urlpatterns = [
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("admin/", admin.site.urls),
]
