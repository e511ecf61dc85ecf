"""Rows that are made from a line of another page, and withdrawn by deletion.

The line is in the form's address, since an id may contain characters that no form field can hold.
"""

from typing import Any, ClassVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from console.admin.base import RollcallAdmin


class NotedAdmin(RollcallAdmin):
    """``saved`` and ``withdrawn``: the messages, which have a place for the row. ``refusals``: the
    errors by which its operation refuses."""

    saved: ClassVar[str]
    withdrawn: ClassVar[str]
    refusals: ClassVar[tuple[type[Exception], ...]]

    def lines(self) -> str:
        """The address of the page with the lines."""
        raise NotImplementedError

    def back(self) -> HttpResponse:
        """Return to the lines."""
        return HttpResponseRedirect(self.lines())

    def form_of(
        self, request: HttpRequest, form_url: str, extra_context: Any, **context: Any
    ) -> HttpResponse:
        """The form for the line of the address."""
        buttons = {"show_save_and_add_another": False, "show_save_and_continue": False}
        try:
            answer: HttpResponse = super().add_view(
                request, form_url, {**context, **buttons, **(extra_context or {})}
            )
        except self.refusals as error:
            messages.error(request, f"Nothing was saved: {error}")
            return self.back()
        return answer

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Return to the lines."""
        messages.success(request, self.saved.format(obj))
        return self.back()

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: int) -> HttpResponse:
        """Return to the lines."""
        messages.success(request, self.withdrawn.format(obj_display))
        return self.back()
