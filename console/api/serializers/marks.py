"""Marks. Shapes only."""

from typing import Any

from rest_framework import serializers as s

from console.api.fields import Id, Line
from console.plain_text import REASON_CHARS_MAX
from groups.models import Mark


class MarkView(s.ModelSerializer[Mark]):
    """What somebody did at a time."""

    class Meta:
        model = Mark
        fields = ("id", "at", "text", "group_id", "actor", "noted_at")


class NewMark(s.Serializer[Any]):
    """Mark a time."""

    text = Line(max_length=REASON_CHARS_MAX, help_text="What was done.")
    group_id = Id(
        trim_whitespace=False,
        required=False,
        help_text="The group; without it the whole installation.",
    )
    at = s.DateTimeField(required=False, help_text="When, if not now; not a time to come.")
