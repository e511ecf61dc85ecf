"""What every page of the admin shares. No model is registered here."""

from typing import Any

from django.http import HttpRequest
from unfold.admin import ModelAdmin


class RollcallAdmin(ModelAdmin):  # type: ignore[misc]  # unfold has no types
    """unfold's pages, without a count of everything beside the count of what was found."""

    show_full_result_count = False
    list_per_page = 50


class ReadOnlyAdmin(RollcallAdmin):
    """Rows that are shown and never saved: they change by verbs, or by their owner alone."""

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False
