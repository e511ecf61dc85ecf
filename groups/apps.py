"""The Django application that holds the rules, the rows and the one door between them."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class GroupsConfig(AppConfig):
    """Groups, members, offsets, topics, slots, nodes, journal and operations."""

    name = "groups"
    verbose_name = "Rollcall"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """The catalogue's functions, database roles and grants, and the roles of people, follow
        every migration."""
        from groups.access import audited, first_password  # noqa: F401  (they hear of logins)
        from groups.access import functions as access
        from groups.access.staff_roles import sync_people
        from groups.catalogue.functions import sync_functions
        from groups.operations import configs, drains
        from groups.postgres.grants import sync_roles

        post_migrate.connect(sync_functions, sender=self)
        post_migrate.connect(access.sync_functions, sender=self)
        post_migrate.connect(drains.sync_functions, sender=self)
        post_migrate.connect(configs.sync_functions, sender=self)
        post_migrate.connect(sync_roles, sender=self)
        post_migrate.connect(sync_people, sender=self)
