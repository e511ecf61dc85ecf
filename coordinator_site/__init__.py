"""The Django site: settings, URLs, the ASGI application, health. Configuration only."""
