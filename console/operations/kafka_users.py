"""Changes of users of the Kafka port in the admin and over REST.

Verifiers of passwords are computed here and passed to a function of the database; the web cannot
read them. Nodes are notified at once.
"""

import json
from collections.abc import Sequence
from typing import Final

from django.db import transaction

from console.operations import client_functions as functions
from groups.clients import scram_credentials as scram
from groups.core.authors import AuthorDetails
from groups.models import KafkaUser

PASSWORD_CHARS_MAX: Final = 1_024

MECHANISMS: Final = tuple(scram.HASHES)


NO_NAME: Final = f"A user name has 1 to {scram.NAME_CHARS_MAX} printable characters."


def set_password(
    name: str, password: str, mechanisms: Sequence[str], iterations: int, author: AuthorDetails
) -> bool:
    """Create a user, or change its password for these mechanisms; others are not changed. Returns
    whether it is new. Open connections stay open."""
    credentials = {each: scram.of_password(each, password, iterations) for each in mechanisms}
    with transaction.atomic():
        is_new = not KafkaUser.objects.filter(name=name).exists()
        for mechanism, credential in credentials.items():
            functions.SET_PASSWORD.changes(name, mechanism, *credential, json.dumps(author))
    return is_new


def delete(name: str, mechanisms: Sequence[str], author: AuthorDetails) -> bool:
    """Delete a user's passwords for these mechanisms; returns whether there were any. A user
    without passwords loses its connections."""
    author_text = json.dumps(author)
    with transaction.atomic():
        gone = [functions.DELETE_USER.changes(name, each, author_text) for each in mechanisms]
    return any(gone)
