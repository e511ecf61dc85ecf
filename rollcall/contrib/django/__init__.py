"""Workers in a Django project: ``manage.py rollcall_worker``, the setting ``ROLLCALL``, its check,
and a port for probes. docs/client.md, *In a Django project*.

    INSTALLED_APPS = [..., "rollcall.contrib.django"]
    ROLLCALL = {"bootstrap": "127.0.0.1:9092"}
"""
