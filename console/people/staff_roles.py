"""The three roles of people: the Django permissions of each.

They are Django groups, written from the table after every migration, like the database's roles
(``groups.postgres.grants``): permissions of a new version are granted at once. Other combinations
need groups of one's own.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.apps import AppConfig
from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import Q

VIEWER: Final = "Viewer"
OPERATOR: Final = "Operator"
ADMINISTRATOR: Final = "Administrator"

SCHEDULE_MODELS: Final = ("periodictask", "periodictasks", "intervalschedule", "crontabschedule")
PEOPLE_MODELS: Final = ("user", "group")

_SEES = Q(content_type__app_label="groups", codename__startswith="view_") & ~Q(
    # Tokens, the audit, connections, ACLs and users of the Kafka port, and webhooks' URLs.
    content_type__model__in=(
        *("apitoken", "auditentry", "acl", "kafkauser", "scramcredential"),
        *("clientquota", "clientconnection", "webhook", "webhookdelivery"),
    )
) | Q(
    content_type__app_label="django_celery_beat",
    content_type__model__in=SCHEDULE_MODELS,
    codename__startswith="view_",
)

_STEERS = Q(
    content_type__app_label="groups",
    codename__in=(
        "rebalance_group",
        "evict_member",
        "pause_group",
        "freeze_group",
        "change_groupconfig",
        "drain_node",
        "view_clientconnection",
        "restore_offsets",
        "add_topic",
        "change_topic",
        "add_reportrun",
        "add_advicedecision",
        "add_mark",
        "add_acknowledgement",
    ),
)

_RUNS = (
    Q(content_type__app_label="groups")
    | Q(content_type__app_label="django_celery_beat", content_type__model__in=SCHEDULE_MODELS)
    | Q(content_type__app_label="auth", content_type__model__in=PEOPLE_MODELS)
)

ROLES: Final[Mapping[str, Q]] = {
    VIEWER: _SEES,
    OPERATOR: _SEES | _STEERS,
    ADMINISTRATOR: _RUNS,
}
"""Each role's permissions: everything on the fleet is seen by a Viewer; an Operator may also
ask groups for a rebalance or an eviction, stop and start their work, freeze and configure them,
rewind offsets, drain nodes, see who is connected, make and grow topics, acknowledge what needs
attention, start an analysis, decide about advice, and mark times; an Administrator also deletes
groups and topics, and has tokens, people, the users, ACLs and quotas of the Kafka port, and the
schedule."""


def sync_people(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Create missing roles, and set the permissions of each by the table (post_migrate)."""
    with transaction.atomic(using=using):
        for name, holds in ROLES.items():
            role, _is_new = Role.objects.using(using).get_or_create(name=name)
            role.permissions.set(Permission.objects.using(using).filter(holds))
