"""The audit in the admin: shown, filtered, downloaded. Nothing is changed here."""

import csv
from functools import cached_property
from typing import Any, Final

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html

from console.admin.base import RollcallAdmin
from console.queries.csv_text import cell
from groups.models import AuditEntry

ROWS_MAX: Final = 50_000
"""Maximum rows of a download, the newest first: it is built in memory. A filter by time finds the
others."""

LISTED_MAX: Final = 10_000
"""Maximum rows of the list, the newest first: counting a million took a tenth of a second."""

SEARCHED_MAX: Final = 1_000_000
"""Entries that a search without a filter by time compares, the newest: comparing ten million took
seconds on each of the database's processors."""

SHOWN: Final = 8
"""Characters of a request's id in the list."""

TIME: Final = "at"
"""Prefix of the parameters of the filter by time."""

VALUES: Final = """
WITH RECURSIVE found AS (
    (SELECT {0} AS value FROM rollcall_audit ORDER BY {0} LIMIT 1)
    UNION ALL
    SELECT (SELECT {0} FROM rollcall_audit WHERE {0} > value ORDER BY {0} LIMIT 1)
    FROM found WHERE value IS NOT NULL)
SELECT value FROM found WHERE value <> ''
"""
"""Every value of an indexed column, with one index step for each: DISTINCT reads all rows."""


SEARCHED: Final = (
    f"Only the newest {SEARCHED_MAX:,} entries were searched. Filter by time to search older ones."
)


def _has_span(request: HttpRequest) -> bool:
    return any(name == TIME or name.startswith(f"{TIME}__") for name in request.GET)


class Values(admin.SimpleListFilter):
    """A filter by a column with few values, which are all offered."""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The values in the rows."""
        with connection.cursor() as cursor:
            cursor.execute(VALUES.format(self.parameter_name))
            return [(value, value) for (value,) in cursor.fetchall()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows with this value."""
        value = self.value()
        return queryset if value is None else queryset.filter(**{str(self.parameter_name): value})


class KindFilter(Values):
    """Filter by kind of event."""

    title = parameter_name = "kind"


class OutcomeFilter(Values):
    """Filter by result."""

    title = parameter_name = "outcome"


class Newest(Paginator):  # type: ignore[type-arg]  # not generic at run time
    """A paginator for the newest rows, which counts no further."""

    @cached_property
    def count(self) -> int:
        """At most ``LISTED_MAX``."""
        return int(self.object_list.order_by()[:LISTED_MAX].count())  # type: ignore[attr-defined]  # rows of a model


@admin.register(AuditEntry)
class AuditAdmin(RollcallAdmin):
    """The audit: author, address, event."""

    list_empty = "Nothing is recorded in this time: choose another one in the filter."
    list_display = ("at", "kind", "who", "host", "target", "outcome", "request_begins")
    list_display_links = ("at",)
    list_filter = ("at", KindFilter, OutcomeFilter)
    paginator = Newest
    search_fields = ("who", "address", "client_id", "target", "=request_id")
    ordering = ("-id",)
    fields = readonly_fields = AuditEntry.LISTED[1:]
    sortable_by = (TIME,)  # other columns would sort all rows
    list_before_template = "admin/groups/auditentry/above.html"

    @admin.display(description="Address", empty_value="")
    def host(self, entry: AuditEntry) -> str | None:
        """Kafka's clients have it with a slash."""
        return (entry.address or "").removeprefix("/") or None

    @admin.display(description="Request", empty_value="")
    def request_begins(self, entry: AuditEntry) -> str | None:
        """The beginning of its id, of which the entry's page has the whole."""
        found = entry.request_id
        return format_html('<code title="{}">{}</code>', found, found[:SHOWN]) if found else None

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """The newest first. Within a time span ordered by time, whose index can begin there;
        ordered by id, all newer rows would be read before."""
        return ("-at", "-id") if _has_span(request) else ("-id",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search the newest, or the time span of the filter."""
        if search_term.split() and not _has_span(request):
            newest = AuditEntry.objects.aggregate(id=Max("id"))["id"] or 0
            if newest > SEARCHED_MAX:
                queryset = queryset.filter(id__gt=newest - SEARCHED_MAX)
                messages.info(request, SEARCHED)
        return super().get_search_results(request, queryset, search_term)

    def get_urls(self) -> list[URLPattern]:
        """The download's URL before that of an entry."""
        view = self.admin_site.admin_view(self.csv_view)
        return [path("csv/", view, name="groups_auditentry_csv"), *super().get_urls()]

    def csv_view(self, request: HttpRequest) -> HttpResponse:
        """The rows of the list, with the same filters, as CSV."""
        try:
            entries = self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            return redirect(f"{reverse('admin:groups_auditentry_changelist')}?{ERROR_FLAG}=1")
        answer = HttpResponse(content_type="text/csv; charset=utf-8")
        name = f"audit-{timezone.now():%Y%m%dT%H%M%SZ}.csv"
        answer["Content-Disposition"] = f'attachment; filename="{name}"'
        lines = csv.writer(answer)
        lines.writerow(AuditEntry.LISTED)
        for entry in entries.values_list(*AuditEntry.LISTED)[:ROWS_MAX].iterator():
            lines.writerow(map(cell, entry))
        return answer
