"""Fields of bodies whose rules are in the OpenAPI description too.

Clients generated from the description then send valid requests. The checks are elsewhere:
``console.api.inputs`` for texts, ``groups.core.topics`` for topics.
"""

from typing import Any, Final

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from rest_framework import serializers

from groups.core.topics import PARTITIONS_MAX

INT32_MAX: Final = 2**31 - 1

FLOAT_MAX: Final = 1e308
"""JSON numbers have no maximum, but infinity does not exist."""

NO_TEXT: Final = r"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""From ``console.plain_text``: a character class of what no text may contain."""

LINE: Final = f"^[^{NO_TEXT}]*[^{NO_TEXT}\\s][^{NO_TEXT}]*$"
"""One line that is not blank."""

LINES: Final = LINE.replace("u0000-\\u001f", "u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f")
"""The same over several lines."""

PRINCIPAL: Final = f"^[^{NO_TEXT}]*:[^{NO_TEXT}]*$"

WEBHOOK_URL: Final = r"^https?://[A-Za-z0-9.-]*[A-Za-z0-9](:[1-9][0-9]{0,3})?(/[!$-~]*)?$"

NO_NUL: Final = r"^[^\u0000]*$"
"""Ids and parts of ids: PostgreSQL's texts cannot contain NUL; Kafka allows all other
characters."""

TOPIC_NAME: Final = r"^(?!\.{1,2}$)[a-zA-Z0-9._-]+$"


class Line(serializers.CharField):
    """A text of one line."""


class Lines(serializers.CharField):
    """A text of several lines."""


class Id(serializers.CharField):
    """An id, of any characters as Kafka has them."""


class PrincipalName(serializers.CharField):
    """A type and a name; validated as on the Kafka port."""


class WebhookUrl(serializers.CharField):
    """The URL of a webhook; ``console.webhooks.addresses`` checks more than its form."""


class TopicName(serializers.CharField):
    """A topic's name; validated as on the Kafka port."""


class PartitionCount(serializers.IntegerField):
    """A partition count; validated as on the Kafka port."""


class Rate(serializers.FloatField):
    """A quota: greater than 0; an integer if it has a maximum. Validated as on the Kafka port."""

    def __init__(self, most: int | None = None, **options: Any) -> None:
        super().__init__(required=False, **options)
        self.most = most


PATTERNS: Final = {
    Line: LINE,
    Lines: LINES,
    PrincipalName: PRINCIPAL,
    TopicName: TOPIC_NAME,
    WebhookUrl: WEBHOOK_URL,
    Id: NO_NUL,
}


def _rate(most: int | None) -> dict[str, Any]:
    if most is None:
        return {"type": "number", "exclusiveMinimum": 0, "maximum": FLOAT_MAX}
    return {"type": "integer", "minimum": 1, "maximum": most}


class FieldDescription(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Describes these fields."""

    target_class = serializers.Field
    match_subclasses = True

    @classmethod
    def _matches(cls, target: Any) -> bool:
        return type(target) in (*PATTERNS, PartitionCount, Rate)

    def map_serializer_field(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        """The schema of a field."""
        if isinstance(self.target, PartitionCount):
            return {"type": "integer", "minimum": 1, "maximum": PARTITIONS_MAX}
        if isinstance(self.target, Rate):
            return _rate(self.target.most)
        longest = {} if self.target.max_length is None else {"maxLength": self.target.max_length}
        pattern = PATTERNS[type(self.target)]
        least = {} if self.target.allow_blank else {"minLength": 1}
        return {"type": "string", **least, **longest, "pattern": pattern}
