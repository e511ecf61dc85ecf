"""The Django application that holds the rules, the rows and the one door between them."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class GroupsConfig(AppConfig):
    """Groups, members, offsets, topics, slots, nodes, journal and operations."""

    name = "groups"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Roles and grants follow every migration."""
        from groups.grants import sync_roles

        post_migrate.connect(sync_roles, sender=self)
