"""How passwords are hashed: Argon2id, by Django's own hasher."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2(Argon2PasswordHasher):
    """With OWASP's parameters for a server: Django's take 100 MiB for each login, and the web
    checks as many at once as it has threads."""

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
