"""The Django application with the rules and the rows."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.module_loading import import_string

FOLLOWERS = (
    "groups.catalogue.functions.sync_functions",
    "groups.access.functions.sync_functions",
    "groups.operations.drains.sync_functions",
    "groups.operations.nodes.sync_functions",
    "groups.operations.configs.sync_functions",
    "groups.postgres.grants.sync_roles",
    "groups.postgres.strangers.close",
    "groups.access.staff_roles.sync_people",
)
"""Called after every migration, in this order, with ``sender``: functions of the database, roles
and grants, and roles of people."""


class GroupsConfig(AppConfig):
    """Groups, members, offsets, topics, slots, nodes, journal and operations."""

    name = "groups"
    verbose_name = "Rollcall"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the steps after migrations, and the handlers of logins."""
        from groups.access import audited, held_up  # noqa: F401

        for follower in FOLLOWERS:
            post_migrate.connect(import_string(follower), sender=self)

    def follow(self) -> None:
        """Run the steps that follow a migration, when there is none to apply."""
        for follower in FOLLOWERS:
            import_string(follower)(sender=self)
