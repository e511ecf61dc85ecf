"""Texts and numbers of bodies, with what may stand in them told by the OpenAPI description, too.

So who generates requests from the description generates right ones. What is checked is not told
here: of texts by ``groups.api.inputs``, of topics by ``groups.core.topics``.
"""

from typing import Any, Final

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from rest_framework import serializers

from groups.core.topics import PARTITIONS_MAX

INT32_MAX: Final = 2**31 - 1

FLOAT_MAX: Final = 1e308
"""JSON knows no greatest number, and none that is infinite."""

NO_TEXT: Final = r"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Of ``groups.core.plain_text``: what no text holds, in a class of a regular expression."""

LINE: Final = f"^[^{NO_TEXT}]*[^{NO_TEXT}\\s][^{NO_TEXT}]*$"
"""One line that is not blank."""

LINES: Final = LINE.replace("u0000-\\u001f", "u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f")
"""The same over several lines."""

PRINCIPAL: Final = f"^[^{NO_TEXT}]*:[^{NO_TEXT}]*$"

WEBHOOK_URL: Final = r"^https?://[A-Za-z0-9.-]*[A-Za-z0-9](:[1-9][0-9]{0,3})?(/[!$-~]*)?$"

NO_NUL: Final = r"^[^\u0000]*$"
"""Ids and parts of ids: PostgreSQL's texts hold no NUL, and Kafka's ids anything else."""

TOPIC_NAME: Final = r"^(?!\.{1,2}$)[a-zA-Z0-9._-]+$"


class Line(serializers.CharField):
    """A text of one line."""


class Lines(serializers.CharField):
    """A text of several lines."""


class Id(serializers.CharField):
    """An id, of any characters as Kafka has them."""


class PrincipalName(serializers.CharField):
    """A type and a name; it is refused as the wire refuses it."""


class WebhookUrl(serializers.CharField):
    """Where a webhook leads; ``groups.webhooks.addresses`` refuses more than the form of it."""


class TopicName(serializers.CharField):
    """What a topic may be called; it is refused as the wire refuses it."""


class PartitionCount(serializers.IntegerField):
    """How many partitions a topic may have; it is refused as the wire refuses it."""


class Rate(serializers.FloatField):
    """A quota: more than 0; a whole number where it has a greatest value. It is refused as the wire
    refuses it."""

    def __init__(self, most: int | None = None, **told: Any) -> None:
        super().__init__(required=False, **told)
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


class Told(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Any of them in the description."""

    target_class = serializers.Field
    match_subclasses = True

    @classmethod
    def _matches(cls, target: Any) -> bool:
        return type(target) in (*PATTERNS, PartitionCount, Rate)

    def map_serializer_field(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        """Its schema."""
        if isinstance(self.target, PartitionCount):
            return {"type": "integer", "minimum": 1, "maximum": PARTITIONS_MAX}
        if isinstance(self.target, Rate):
            return _rate(self.target.most)
        longest = {} if self.target.max_length is None else {"maxLength": self.target.max_length}
        pattern = PATTERNS[type(self.target)]
        least = {} if self.target.allow_blank else {"minLength": 1}
        return {"type": "string", **least, **longest, "pattern": pattern}
