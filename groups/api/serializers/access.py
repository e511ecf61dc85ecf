"""Who may come in by the Kafka port, what they may do there, and who asks here. Shapes only."""

from enum import IntEnum
from typing import Any

from rest_framework import serializers as s

from groups.access import kafka_users
from groups.access.scram_credentials import ITERATIONS, ITERATIONS_MAX, ITERATIONS_MIN
from groups.api.fields import Line, PrincipalName
from groups.core.acls.bindings import Operation as AclOperation
from groups.core.acls.bindings import PatternType, Permission, ResourceType
from groups.core.acls.forms import HOST_BYTES_MAX, NAME_BYTES_MAX, PRINCIPAL_BYTES_MAX
from groups.models import (
    Acl,
)


def _words(kind: type[IntEnum], least: int) -> list[str]:
    """What stands in a rule; the rest is for filters."""
    return [word.name for word in kind if word >= least]


class NewAcl(s.Serializer[Any]):
    """An access rule, in Kafka's words."""

    resource_type = s.ChoiceField(choices=_words(ResourceType, ResourceType.TOPIC))
    name = Line(
        trim_whitespace=False,
        max_length=NAME_BYTES_MAX,
        help_text="The resource's name; `*` means every one.",
    )
    pattern = s.ChoiceField(choices=_words(PatternType, PatternType.LITERAL), default="LITERAL")
    principal = PrincipalName(
        trim_whitespace=False,
        max_length=PRINCIPAL_BYTES_MAX,
        help_text="For example `User:ann`; `User:*` means everyone.",
    )
    host = Line(default="*", max_length=HOST_BYTES_MAX, help_text="An address, or `*`.")
    operation = s.ChoiceField(choices=_words(AclOperation, AclOperation.ALL))
    permission = s.ChoiceField(choices=_words(Permission, Permission.DENY), default="ALLOW")


class AclView(s.ModelSerializer[Acl]):
    """An access rule of the Kafka port."""

    class Meta:
        model = Acl
        fields = (
            "resource_type",
            "name",
            "pattern",
            "principal",
            "host",
            "operation",
            "permission",
            "created_at",
        )


class DeletedAcls(s.Serializer[Any]):
    """What was deleted; or, with `dry_run`, would be."""

    dry_run = s.BooleanField()
    acls = AclView(many=True)


class Authorizer(s.Serializer[Any]):
    """Whether ACLs are enforced for clients."""

    is_on = s.BooleanField()


class KafkaUserView(s.Serializer[Any]):
    """A user of the Kafka port, without its password."""

    name = s.CharField()
    mechanisms = s.DictField(child=s.IntegerField(), help_text="Hash iterations, by mechanism.")
    updated_at = s.DateTimeField(allow_null=True, help_text="When its newest password was set.")


class Password(s.Serializer[Any]):
    """A password and its mechanisms."""

    password = Line(
        trim_whitespace=False, write_only=True, max_length=kafka_users.PASSWORD_CHARS_MAX
    )
    mechanisms = s.ListField(
        child=s.ChoiceField(choices=kafka_users.MECHANISMS),
        default=list(kafka_users.MECHANISMS),
        min_length=1,
        max_length=len(kafka_users.MECHANISMS),
    )
    iterations = s.IntegerField(
        min_value=ITERATIONS_MIN, max_value=ITERATIONS_MAX, default=ITERATIONS
    )


class Me(s.Serializer[Any]):
    """Who asks."""

    username = s.CharField()
    permissions = s.ListField(child=s.CharField())
