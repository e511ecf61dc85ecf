"""The audit in the admin: looked at, filtered, downloaded. Nothing is changed here."""

import csv
import json
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils import timezone

from groups.admin.base import RollcallAdmin
from groups.models import AuditEntry

ROWS_MAX: Final = 50_000
"""Of one download, the newest first: it is made in memory. A filter by time has the others."""

COLUMNS: Final = (
    "id",
    "at",
    "kind",
    "who",
    "address",
    "client_id",
    "request_id",
    "target",
    "outcome",
    "login",
    "details",
)

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""


@admin.register(AuditEntry)
class AuditAdmin(RollcallAdmin):
    """Who did what, from where."""

    list_display = ("at", "kind", "who", "address", "target", "outcome", "request_id")
    list_display_links = ("at",)
    list_filter = ("at", "kind", "outcome")
    search_fields = ("who", "address", "client_id", "target", "=request_id")
    ordering = ("-id",)
    fields = readonly_fields = COLUMNS[1:]
    list_before_template = "admin/groups/auditentry/above.html"

    def get_urls(self) -> list[URLPattern]:
        """The download, before that of an entry."""
        view = self.admin_site.admin_view(self.csv_view)
        return [path("csv/", view, name="groups_auditentry_csv"), *super().get_urls()]

    def csv_view(self, request: HttpRequest) -> HttpResponse:
        """What the list has found, by the same filters, as CSV."""
        found = self.get_changelist_instance(request).get_queryset(request)
        answer = HttpResponse(content_type="text/csv; charset=utf-8")
        name = f"audit-{timezone.now():%Y%m%dT%H%M%SZ}.csv"
        answer["Content-Disposition"] = f'attachment; filename="{name}"'
        lines = csv.writer(answer)
        lines.writerow(COLUMNS)
        for entry in found.values_list(*COLUMNS)[:ROWS_MAX].iterator():
            lines.writerow(map(_cell, entry))
        return answer


def _cell(value: Any) -> str:
    """A cell as text, which no spreadsheet takes for a formula."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
