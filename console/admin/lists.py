"""The parameters of the admin's lists: of a page's own filters, search and columns, no others.

Django's lists pass every other parameter on as a lookup of any field: a regular expression of the
reader's own, or the first letters of a secret.
"""

from collections.abc import Collection
from typing import Any, Final

from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.views.main import ORDER_VAR
from django.http import HttpRequest
from unfold.views import ChangeList

VALUES_MAX: Final = 20
"""Values of one filter in a URL: each is a condition of the statement. Pages set one."""


class OwnParameters(ChangeList):  # type: ignore[misc]  # unfold has no types
    """A list that refuses parameters of which its page has no filter, before it reads a row."""

    def get_filters(self, request: HttpRequest) -> Any:
        """The filters of the page. Raises ``DisallowedModelAdminLookup`` for what none takes."""
        sent = self.get_filters_params()
        if any(len(values) > VALUES_MAX for values in sent.values()):
            raise DisallowedModelAdminLookup("Too many values of one filter.")
        specs, has_filters, left, *others = super().get_filters(request)
        if left:
            raise DisallowedModelAdminLookup(f"No filter takes {_names(left)}.")
        return specs, has_filters, left, *others

    def get_ordering(self, request: HttpRequest, queryset: Any) -> Any:
        """The order. Raises ``DisallowedModelAdminLookup`` for more columns than there are."""
        if len(self.params.get(ORDER_VAR, "").split(".")) > len(self.list_display):
            raise DisallowedModelAdminLookup("An order by more columns than there are.")
        return super().get_ordering(request, queryset)

    def get_ordering_field(self, field_name: Any) -> Any:
        """What a column is ordered by; nothing for those that its page does not offer to order by,
        which Django accepts in a URL."""
        if self.sortable_by is not None and field_name not in self.sortable_by:
            return None
        return super().get_ordering_field(field_name)


def _names(parameters: Collection[str]) -> str:
    return ", ".join(sorted(parameters))
