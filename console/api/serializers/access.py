"""Access to the Kafka port, and the user of a request. Shapes only."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from console.api.fields import Id, Line, PrincipalName, Rate
from console.operations import kafka_users
from groups.clients.scram_credentials import ITERATIONS, ITERATIONS_MAX, ITERATIONS_MIN
from groups.core.acls.bindings import AclOperation as AclOperation
from groups.core.acls.bindings import PatternType, Permission, ResourceType
from groups.core.acls.forms import HOST_BYTES_MAX, NAME_BYTES_MAX, PRINCIPAL_BYTES_MAX
from groups.core.quotas.entities import CLIENT_ID, INT_MAX, IP, LONG_MAX, USER
from groups.core.quotas.forms import NAME_BYTES_MAX as PART_BYTES_MAX
from groups.models import Acl, QuotaEntity


def _words(kind: type[IntEnum], least: int) -> list[str]:
    """Words of rules; others exist only in filters."""
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


def _dry_run() -> s.BooleanField:
    return s.BooleanField(
        required=False, help_text="`true`: a dry run; left out where something was changed."
    )


class AclOrPlan(NewAcl):
    """An access rule that existed already; or, with `dry_run`, one that would be created."""

    dry_run = _dry_run()
    created_at = s.DateTimeField(allow_null=True, help_text="null: it would be created.")


class DeletedAcls(s.Serializer[Any]):
    """What was deleted; or, with `dry_run`, would be."""

    dry_run = s.BooleanField()
    count = s.IntegerField(help_text="How many.")
    acls = AclView(many=True, help_text="None, if the token may not read ACLs.")


class Authorizer(s.Serializer[Any]):
    """Whether ACLs are enforced for clients."""

    is_on = s.BooleanField()


class KafkaUserView(s.Serializer[Any]):
    """A user of the Kafka port, without its password."""

    name = s.CharField()
    mechanisms = s.DictField(child=s.IntegerField(), help_text="Hash iterations, by mechanism.")
    updated_at = s.DateTimeField(allow_null=True, help_text="When its newest password was set.")


class KafkaUserOrPlan(KafkaUserView):
    """A user of the Kafka port that was changed; or, with `dry_run`, that would be."""

    dry_run = _dry_run()


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


QUOTA_PARTS: Final[Mapping[str, str]] = {"user": USER, "client_id": CLIENT_ID, "ip": IP}
"""The parts of an entity, by their names in REST."""


def _part(meaning: str) -> Id:
    return Id(
        required=False,
        allow_null=True,
        trim_whitespace=False,
        max_length=PART_BYTES_MAX,
        help_text=f"{meaning}; null: the default.",
    )


class QuotaParts(s.Serializer[Any]):
    """A user, a client id, both together, or an address. A part that is left out is none."""

    user = _part("The name of a user")
    client_id = _part("A client id")
    ip = _part("An address")


class QuotaValues(s.Serializer[Any]):
    """Quotas of an entity: the last one of addresses, the others of users and client ids."""

    producer_byte_rate = Rate(most=LONG_MAX, help_text="Bytes of requests per second.")
    consumer_byte_rate = Rate(most=LONG_MAX, help_text="Bytes of responses per second.")
    request_percentage = Rate(help_text="Time of a node; 100 is one processor.")
    controller_mutation_rate = Rate(help_text="Partitions created or deleted per second.")
    connection_creation_rate = Rate(most=INT_MAX, help_text="Connections per second.")


class NewQuotas(s.Serializer[Any]):
    """Quotas to be set."""

    entity = QuotaParts()
    quotas = QuotaValues()


class QuotaView(s.Serializer[Any]):
    """An entity with its quotas."""

    entity = s.SerializerMethodField()
    quotas = s.SerializerMethodField()
    updated_at = s.DateTimeField(
        allow_null=True, help_text="When the newest was set; null: none is set yet."
    )

    @extend_schema_field(QuotaParts())
    def get_entity(self, row: QuotaEntity) -> dict[str, str | None]:
        """Its parts; null: the default."""
        columns = {USER: row.user_name, CLIENT_ID: row.client_id, IP: row.ip}
        kinds = row.entity_type.split(" ")
        return {name: columns[k] or None for name, k in QUOTA_PARTS.items() if k in kinds}

    @extend_schema_field(s.DictField(child=s.FloatField(allow_null=True)))
    def get_quotas(self, row: QuotaEntity) -> dict[str, float | None]:
        """Values by key; null: infinite, which can be set over the wire only."""
        quotas = sorted(row.quotas.items())
        return {key: None if isinstance(value, str) else value for key, value in quotas}


class QuotaOrPlan(QuotaView):
    """An entity whose quotas were changed; or, with `dry_run`, would be."""

    dry_run = _dry_run()
