"""Django's configuration: settings, URLs, the ASGI and Celery applications; nothing else."""
