"""Fields that several forms have."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import CharField
from django.utils import timezone

from console.plain_text import REASON_CHARS_MAX, one_line, text_problem


class LineField(CharField):
    """One line of displayable characters, which others see: a reason, a note."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=REASON_CHARS_MAX, **options)

    def clean(self, value: Any) -> str:
        """The text on one line."""
        text = one_line(super().clean(value))
        problem = text_problem(text)
        if problem is not None:
            raise ValidationError(problem)
        return text


class IdField(CharField):
    """An id that clients choose: spaces at its ends belong to it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)


def not_past(instant: datetime) -> None:
    """A validator: an end is in the future."""
    if instant <= timezone.now():
        raise ValidationError("That time has passed.")
