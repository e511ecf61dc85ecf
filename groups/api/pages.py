"""Pages of lists: by cursor, so that the last page costs what the first one does."""

from typing import Any

from rest_framework.pagination import CursorPagination
from rest_framework.response import Response


class Pages(CursorPagination):
    """``{"data": [...], "next": URL, "previous": URL}``; a page has 100 rows, 500 at most."""

    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 500

    def __init__(self, *ordering: str) -> None:
        self.ordering = ordering

    def get_paginated_response(self, data: Any) -> Response:
        """The page with its neighbours."""
        return Response(
            {"data": data, "next": self.get_next_link(), "previous": self.get_previous_link()}
        )
