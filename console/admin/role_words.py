"""A matrix of what people do and the roles that allow it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.contrib.auth.models import Group as Role

from console.people import rights, staff_roles

DEEDS: Final[Mapping[str, Sequence[str]]] = {
    "See groups, members, offsets, the journal and what needs attention": [rights.VIEW_GROUP],
    "See topics, nodes, operations, reports and the schedule": [
        rights.VIEW_TOPIC,
        "groups.view_node",
        rights.VIEW_OPERATION,
        "groups.view_reportrun",
    ],
    "See who is connected to a node": [rights.VIEW_CONNECTION],
    "Force a rebalance": [rights.REBALANCE],
    "Evict a member": [rights.EVICT],
    "Stop and start the work of a group or a member": [rights.PAUSE],
    "Freeze and thaw a group": [rights.FREEZE],
    "Change settings of a group": [rights.CONFIGURE],
    "Reset and restore offsets": [rights.RESTORE],
    "Create and grow topics": ["groups.add_topic", "groups.change_topic"],
    "Drain a node": [rights.DRAIN],
    "Acknowledge what needs attention": [rights.ACKNOWLEDGE],
    "Start an analysis": [rights.ANALYSE],
    "Accept and mute advice": [rights.DECIDE],
    "Mark a time": [rights.MARK],
    "Delete a group": [rights.DELETE],
    "Delete a topic": ["groups.delete_topic"],
    "Change the schedule": [f"{rights.BEAT}.change_periodictask"],
    "See and revoke everybody's API tokens": ["groups.view_apitoken", "groups.delete_apitoken"],
    "Read the audit": [rights.VIEW_AUDIT],
    "Manage users and roles of the admin": ["auth.change_user", "auth.change_group"],
    "Manage users, ACLs and quotas of the Kafka port": [
        rights.CHANGE_KAFKA_USER,
        rights.ADD_ACL,
        rights.CHANGE_QUOTA,
    ],
    "Manage webhooks": [rights.CHANGE_WEBHOOK],
}
"""What people do, and the permissions that it needs. Every logged-in user creates and revokes their
own API tokens."""


class Line(NamedTuple):
    """One row, with "yes", "-", or "partly" for each role."""

    deed: str
    cells: Sequence[str]


class Matrix(NamedTuple):
    """Names of the roles, Rollcall's own first, and the rows."""

    roles: Sequence[str]
    lines: Sequence[Line]


def matrix() -> Matrix:
    """The current roles. Two statements."""
    roles = list(Role.objects.prefetch_related("permissions__content_type").order_by("name"))
    ours = list(staff_roles.ROLES)
    roles.sort(key=lambda role: ours.index(role.name) if role.name in ours else len(ours))
    each = [held(role) for role in roles]
    lines = [
        Line(deed, [_cell(needed, permissions) for permissions in each])
        for deed, needed in DEEDS.items()
    ]
    return Matrix([role.name for role in roles], lines)


def choices(permissions: Iterable[Any]) -> Sequence[tuple[str, Sequence[tuple[int, str]]]]:
    """Permissions (rows with their content types) for a form: those of ``DEEDS`` by what people do,
    in its order, and below them Django's others, by the rows that they are about."""
    deeds = {name: deed for deed, needed in DEEDS.items() for name in needed}
    by_name = {f"{one.content_type.app_label}.{one.codename}": one for one in permissions}
    done = [
        (by_name[name].pk, deed if len(DEEDS[deed]) == 1 else f"{deed} ({_about(by_name[name])})")
        for name, deed in deeds.items()
        if name in by_name
    ]
    others = [(one.pk, _about(one)) for name, one in by_name.items() if name not in deeds]
    return [("What people do", done), ("Rows", sorted(others, key=lambda other: other[1]))]


def _about(permission: Any) -> str:
    """Django's "Can view api token" without its first word."""
    return str(permission.name).removeprefix("Can ")


def held(role: Any) -> set[str]:
    """The permissions of a role."""
    return {f"{one.content_type.app_label}.{one.codename}" for one in role.permissions.all()}


def _cell(needed: Sequence[str], permissions: set[str]) -> str:
    has = sum(permission in permissions for permission in needed)
    if has == len(needed):
        return "yes"
    return "partly" if has else "-"
