"""The addresses of groups, whose ids clients choose."""

from typing import Any, Final

from django.contrib.admin.utils import quote as quoted
from django.contrib.admin.utils import unquote as unquoted
from django.urls import reverse

from console.admin.lists import OwnParameters

DOTS: Final = (".", "..")
"""As a part of a path, a browser takes them away, encoded or not; Django does not quote them."""

DOT: Final = "_2E"
EMPTY: Final = "_"
"""No other ids are quoted to these: "_" is quoted too. Kafka allows commits for the empty id."""


def quote(key: Any) -> Any:
    """A key as a part of a path, for ``reverse``: Django's form, except for dots and for none."""
    return EMPTY if key == "" else key.replace(".", DOT) if key in DOTS else quoted(key)


def unquote(key: str) -> str:
    """The key of a part of a path."""
    if key == EMPTY:
        return ""
    dots = key.replace(DOT, ".")
    return dots if dots in DOTS else unquoted(key)


class LinkedList(OwnParameters):
    """A list whose rows are linked so."""

    def url_for_result(self, result: Any) -> str:
        """The page of a row."""
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
        return reverse(name, args=(quote(getattr(result, self.pk_attname)),))
