"""The admin's look and the links of its sidebar: django-unfold's settings, and nothing else."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy

SECOND_FACTOR = "WEB_SECOND_FACTOR"


def allowed(*permissions: str) -> Callable[[HttpRequest], bool]:
    """Whether a user has any of these permissions, in the form that the sidebar calls."""

    def has_one(request: HttpRequest) -> bool:
        return any(map(request.user.has_perm, permissions))

    return has_one


def has_second_factors(_request: HttpRequest) -> bool:
    """Whether users have a page for their second factor."""
    return bool(getattr(settings, SECOND_FACTOR) != "off")


def item(title: str, icon: str, page: str, *permissions: str) -> dict[str, Any]:
    """One line of the sidebar; hidden from users who may not see its page."""
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{page}"),
        "permission": allowed(*permissions) if permissions else None,
    }


NAVIGATION: list[dict[str, Any]] = [
    {
        "title": "Fleet",
        "items": [
            item("Overview", "monitoring", "index"),
            item("Groups", "groups", "groups_group_changelist", "groups.view_group"),
            item("Topics", "category", "groups_topic_changelist", "groups.view_topic"),
            item("Nodes", "dns", "groups_node_changelist", "groups.view_node"),
        ],
    },
    {
        "title": "Work",
        "items": [
            item(
                "Operations",
                "manufacturing",
                "groups_operation_changelist",
                "groups.view_operation",
            ),
            item("Reports", "bar_chart", "groups_reportrun_newest", "groups.view_reportrun"),
            item(
                "Schedule",
                "schedule",
                "django_celery_beat_periodictask_changelist",
                "django_celery_beat.view_periodictask",
            ),
        ],
    },
    {
        "title": "Access",
        "items": [
            item("API tokens", "key", "groups_apitoken_changelist"),
            item("Users", "person", "auth_user_changelist", "auth.view_user"),
            {
                "title": "Second factor",
                "icon": "phonelink_lock",
                "link": reverse_lazy("admin:otp_totp_totpdevice_mine"),
                "permission": has_second_factors,
            },
            item("Roles", "badge", "auth_group_changelist", "auth.view_group"),
            item(
                "Kafka users",
                "shield_person",
                "groups_kafkauser_changelist",
                "groups.view_kafkauser",
            ),
            item("ACLs", "rule", "groups_acl_changelist", "groups.view_acl"),
            item(
                "Client quotas",
                "speed",
                "groups_quotaentity_changelist",
                "groups.view_clientquota",
            ),
            item("Webhooks", "webhook", "groups_webhook_changelist", "groups.view_webhook"),
            item("Audit", "policy", "groups_auditentry_changelist", "groups.view_auditentry"),
        ],
    },
]

# Teal, in the shades that unfold's styles use.
PRIMARY = {
    "50": "oklch(98.4% .014 180.7)",
    "100": "oklch(95.3% .051 180.8)",
    "200": "oklch(91% .096 180.4)",
    "300": "oklch(85.5% .138 181.1)",
    "400": "oklch(77.7% .152 181.9)",
    "500": "oklch(70.4% .14 182.5)",
    "600": "oklch(51.5% .096 185)",
    "700": "oklch(46% .084 186.4)",
    "800": "oklch(42% .075 188.2)",
    "900": "oklch(38.6% .063 188.4)",
    "950": "oklch(27.7% .046 192.5)",
}


def mark(_request: HttpRequest) -> str:
    """The logo beside the name."""
    return static("rollcall/mark.svg")


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Rollcall",
    "SITE_HEADER": "Rollcall",
    "SITE_SUBHEADER": "Group coordinator",
    "SITE_URL": None,
    "SITE_ICON": mark,
    "SITE_SYMBOL": "checklist",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": mark}],
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "COLORS": {"primary": PRIMARY},
    "LOGIN": {"form": "console.people.login_form.LoginForm"},
    "DASHBOARD_CALLBACK": "console.admin.dashboard.fleet",
    "STYLES": [
        lambda _request: static("rollcall/rollcall.css"),
        lambda _request: static("rollcall/rooms.css"),
    ],
    "SCRIPTS": [
        lambda _request: static("rollcall/frame.js"),
        lambda _request: static("rollcall/tables.js"),
        lambda _request: static("rollcall/times.js"),
    ],
    "SIDEBAR": {
        "show_search": True,
        "command_search": True,  # console.admin.palette finds
        "show_all_applications": False,
        "navigation": NAVIGATION,
    },
}
