"""Named views of the list of groups: a query and a name, saved by a person."""

from typing import Final

from django.conf import settings
from django.db import models

NAME_CHARS_MAX: Final = 60
QUERY_CHARS_MAX: Final = 2_000


class SavedView(models.Model):
    """One view. It is deleted with its user."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=NAME_CHARS_MAX)
    query = models.CharField(
        max_length=QUERY_CHARS_MAX, help_text="The URL's query: filters, search and order."
    )
    is_shared = models.BooleanField(default=False, help_text="Whether everybody sees it.")

    class Meta:
        db_table = "rollcall_saved_view"
        verbose_name = "saved view"
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="saved_view_of_a_name")
        ]

    def __str__(self) -> str:
        return self.name
