"""The Django application that people and programs see. It has no models: rows, migrations,
permissions and names of tasks are those of ``groups``."""

from django.apps import AppConfig

FUNCTIONS = (
    "console.operations.topic_functions.sync_functions",
    "console.operations.client_functions.sync_functions",
    "console.operations.drains.sync_functions",
    "console.operations.nodes.sync_functions",
    "console.operations.configs.sync_functions",
)
"""Functions of the database that the web calls."""


class ConsoleConfig(AppConfig):
    """Screens, REST, live pages, webhooks, people, and what Prometheus reads of the web."""

    name = "console"

    def ready(self) -> None:
        """Connect the handlers of logins, and add rows to the engine's tables."""
        from console.people import audited, held_up  # noqa: F401
        from groups import apps
        from groups.sweeps import ends, schedule

        apps.FOLLOWERS[:0] = FUNCTIONS
        apps.FOLLOWERS.append("console.people.staff_roles.sync_people")
        ends.OTHERS["acknowledgements"] = "console.operations.ended.end_acknowledgements"
        schedule.OTHERS.append("console.tasks.periodic")
