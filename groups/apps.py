"""The Django application with the rules and the rows."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.module_loading import import_string

FOLLOWERS = [
    "groups.postgres.grants.sync_roles",
    "groups.postgres.strangers.close",
]
"""Called after every migration, in this order, with ``sender``: functions of the database, roles
and grants. Other applications add theirs in their ``ready``: functions first, before the grants."""


class GroupsConfig(AppConfig):
    """Groups, members, offsets, topics, slots, nodes, journal and operations."""

    name = "groups"
    verbose_name = "Rollcall"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the steps before and after migrations."""
        pre_migrate.connect(self.precede, sender=self)
        post_migrate.connect(self.follow, sender=self)

    def precede(self, **facts: Any) -> None:
        """Refuse a database that is too old, before anything is changed."""
        import_string("groups.postgres.migrated.refuse_older")(**facts)

    def follow(self, **facts: Any) -> None:
        """Run the steps that follow a migration, also when there is none to apply."""
        for follower in FOLLOWERS:
            import_string(follower)(**{"sender": self, **facts})
