"""The audit in the admin: looked at, filtered, downloaded. Nothing is changed here."""

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

from groups.admin.base import RollcallAdmin
from groups.models import AuditEntry
from groups.queries.csv_text import cell

ROWS_MAX: Final = 50_000
"""Of one download, the newest first: it is made in memory. A filter by time has the others."""

LISTED_MAX: Final = 10_000
"""Of the list, the newest first: a count of all took a tenth of a second for a million."""

SEARCHED_MAX: Final = 1_000_000
"""Entries that a search without a filter by time compares, the newest: all of ten million took
seconds of each of the database's processors."""

TIME: Final = "at"
"""What the filter by time names its parameters after."""

VALUES: Final = """
WITH RECURSIVE found AS (
    (SELECT {0} AS value FROM rollcall_audit ORDER BY {0} LIMIT 1)
    UNION ALL
    SELECT (SELECT {0} FROM rollcall_audit WHERE {0} > value ORDER BY {0} LIMIT 1)
    FROM found WHERE value IS NOT NULL)
SELECT value FROM found WHERE value <> ''
"""
"""Every value of an indexed column, by a step in its index each: DISTINCT reads all rows."""


SEARCHED: Final = (
    f"Only the newest {SEARCHED_MAX:,} entries were searched. Filter by time to search older ones."
)


def _has_span(request: HttpRequest) -> bool:
    return any(name == TIME or name.startswith(f"{TIME}__") for name in request.GET)


class Values(admin.SimpleListFilter):
    """By a column with few values, all of which are offered."""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """As they stand in the rows."""
        with connection.cursor() as cursor:
            cursor.execute(VALUES.format(self.parameter_name))
            return [(value, value) for (value,) in cursor.fetchall()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those of the value."""
        value = self.value()
        return queryset if value is None else queryset.filter(**{str(self.parameter_name): value})


class KindFilter(Values):
    """What was done."""

    title = parameter_name = "kind"


class OutcomeFilter(Values):
    """What became of it."""

    title = parameter_name = "outcome"


class Newest(Paginator):  # type: ignore[type-arg]  # not generic at run time
    """Pages of the newest rows, which are counted no further."""

    @cached_property
    def count(self) -> int:
        """At most ``LISTED_MAX``."""
        return int(self.object_list.order_by()[:LISTED_MAX].count())  # type: ignore[attr-defined]  # rows of a model


@admin.register(AuditEntry)
class AuditAdmin(RollcallAdmin):
    """Who did what, from where."""

    list_display = ("at", "kind", "who", "address", "target", "outcome", "request_id")
    list_display_links = ("at",)
    list_filter = ("at", KindFilter, OutcomeFilter)
    paginator = Newest
    search_fields = ("who", "address", "client_id", "target", "=request_id")
    ordering = ("-id",)
    fields = readonly_fields = AuditEntry.SHOWN[1:]
    sortable_by = (TIME,)  # by the others all rows were sorted
    list_before_template = "admin/groups/auditentry/above.html"

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """The newest first. Of a span of time by time itself, whose index begins there; by id, all
        newer rows were read before it."""
        return ("-at", "-id") if _has_span(request) else ("-id",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Among the newest, unless a span of time says where to look."""
        if search_term.split() and not _has_span(request):
            newest = AuditEntry.objects.aggregate(id=Max("id"))["id"] or 0
            if newest > SEARCHED_MAX:
                queryset = queryset.filter(id__gt=newest - SEARCHED_MAX)
                messages.info(request, SEARCHED)
        return super().get_search_results(request, queryset, search_term)

    def get_urls(self) -> list[URLPattern]:
        """The download, before that of an entry."""
        view = self.admin_site.admin_view(self.csv_view)
        return [path("csv/", view, name="groups_auditentry_csv"), *super().get_urls()]

    def csv_view(self, request: HttpRequest) -> HttpResponse:
        """What the list has found, by the same filters, as CSV."""
        try:
            found = self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            return redirect(f"{reverse('admin:groups_auditentry_changelist')}?{ERROR_FLAG}=1")
        answer = HttpResponse(content_type="text/csv; charset=utf-8")
        name = f"audit-{timezone.now():%Y%m%dT%H%M%SZ}.csv"
        answer["Content-Disposition"] = f'attachment; filename="{name}"'
        lines = csv.writer(answer)
        lines.writerow(AuditEntry.SHOWN)
        for entry in found.values_list(*AuditEntry.SHOWN)[:ROWS_MAX].iterator():
            lines.writerow(map(cell, entry))
        return answer
