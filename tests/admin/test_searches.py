"""Every search, of the admin and of REST, finds a name by any part of it, whatever its letters; and
what may be looked for is limited: a thousand words would keep PostgreSQL for seconds."""

import random
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from django_otp.plugins.otp_totp.models import TOTPDevice

import coordinator_site.urls  # noqa: F401  (whose import registers all pages)
from console.admin.base import SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX, TOO_LONG, RollcallAdmin
from console.api import inputs
from console.queries.text_search import FOLDED, folded, has_text
from groups.core.events import OffsetWrite
from groups.models import (
    Acl,
    ApiToken,
    AttentionRule,
    AuditEntry,
    ClientQuota,
    Group,
    Operation,
    ScramCredential,
    Topic,
    Webhook,
)
from launcher.installation import CHECKOUT
from tests import factories
from tests.admin.test_groups import page
from tests.admin.test_palette import hits
from tests.admin.visitors import superuser, text
from tests.api.conftest import TAKE_SLOTS
from tests.site.test_rights import rest

pytestmark = pytest.mark.django_db

SEARCHED = {
    f"{model._meta.app_label}_{model._meta.model_name}": site
    for model, site in admin.site._registry.items()
    if site.search_fields
}
PATHS = {
    name: f"/admin/{site.opts.app_label}/{site.opts.model_name}/" for name, site in SEARCHED.items()
}


@pytest.mark.parametrize("path", PATHS.values())
def test_the_number_of_search_words_is_limited(path: str) -> None:
    visitor = superuser()
    few = text(visitor.get(path, {"q": "a " * SEARCH_WORDS_MAX}))
    many = text(visitor.get(path, {"q": "a " * (SEARCH_WORDS_MAX + 1)}))
    long = text(visitor.get(path, {"q": "a" * (SEARCH_LENGTH_MAX + 1)}))

    assert [TOO_LONG in page for page in (few, many, long)] == [False, True, True]


# -- Letters ----------------------------------------------------------------------------------

FINDS: Final = (
    ("plain", "PLAIN"),
    ("größe", "GRÖSSE"),
    ("GRÖSSE", "größ"),
    ("ćwiczenie", "ĆWI"),
    ("имя", "ИМ"),
    ("όνομας", "ΌΝΟΜΑΣ"),
    ("ΌΝΟΜΑΣ", "όνομας"),
    ("I", "ı"),
    ("istanbul", "İSTANBUL"),
    ("caf\u00e9", "cafe\u0301"),
    ("cafe\u0301", "CAF\u00c9"),
    ("café", "cafe"),
    ("ｗｉｄｅ", "wide"),
    ("注文処理", "処理"),
    ("한글", "한"),
    ("שלום\u200f", "שלום\u200f"),
    ("𐐀𐐀", "𐐨"),
    ("🚚-packers", "🚚"),
    ("100%", "0%"),
    ("a_b", "_"),
    ("a\\b", "\\"),
    ("it's", "'s"),
    ('say-"hi"', '"hi"'),
    ("(a|b)[c]*", "|b)[c]*"),
    ("$1^.+?{2}", "^.+?{"),
    ("\u0301", "\u0301"),
)
"""Names, and a part by which each is found."""

MISSES: Final = (
    ("plain", "pl%in"),
    ("plain", "pl_in"),
    ("plain", "pl.in"),
    ("plain", "\\"),
    ("plain", '"'),
    ("plain", "plain\0"),
    ("plain", "\0"),
    ("имя", "имени"),
    ("が", "か\u3099\u3099"),
    ("größe", "gräße"),
    ("plain", "\u0301"),
)
"""Names, and a text that is no part of them."""


def group(name: str) -> None:
    """A group of this name with a member of it, and an offset of a topic of it."""
    member = factories.member(name, client_id=name, client_host=name, instance_id=name)
    written(factories.birth(name, member), OffsetWrite(name, 0, 1, -1, ""))


def written(birth: Any, *offsets: OffsetWrite) -> None:
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SLOTS)
        factories.apply_with(cursor, factories.batch(birth))
        if offsets:
            commit = factories.commit(factories.written(birth), *offsets)
            factories.apply_with(cursor, factories.batch(commit))


def token(name: str) -> None:
    user = User.objects.create_user(f"user-{uuid4()}")
    ApiToken.objects.create(name=name, user=user, prefix="p", digest=uuid4().hex)


def quota(name: str) -> None:
    ClientQuota.objects.create(
        entity_type="client-id", user_name="", client_id=name, ip="", key="k", value=1.0,
        updated_at=timezone.now(),
    )  # fmt: skip


def schedule(name: str) -> None:
    every, _ = IntervalSchedule.objects.get_or_create(every=1, period="days")
    PeriodicTask.objects.create(name=name, task="t", interval=every)


def acl(name: str) -> None:
    Acl.objects.create(
        resource_type="GROUP", name=name, pattern="LITERAL", principal="User:x", host="*",
        operation="READ", permission="ALLOW", created_at=timezone.now(),
    )  # fmt: skip


def attention_rule(name: str) -> None:
    AttentionRule.objects.create(
        rule="storm", name=name, threshold=7, reason="r", actor="olga", at=timezone.now()
    )


def kafka_user(name: str) -> None:
    ScramCredential.objects.create(
        name=name, mechanism="SCRAM-SHA-256", salt=b"", iterations=1, stored_key=b"",
        server_key=b"", updated_at=timezone.now(),
    )  # fmt: skip


MAKE: Final[Mapping[str, Callable[[str], object]]] = {
    "auth_group": lambda name: Role.objects.create(name=name),
    "auth_user": lambda name: User.objects.create(username=f"u-{uuid4()}", first_name=name),
    "django_celery_beat_periodictask": schedule,
    "groups_acl": acl,
    "groups_apitoken": token,
    "groups_attentionrule": attention_rule,
    "groups_auditentry": lambda name: AuditEntry.objects.create(kind="k", who=name),
    "groups_group": group,
    "groups_kafkauser": kafka_user,
    "groups_operation": lambda name: Operation.objects.create(
        group_id=name, slot=0, verb="rebalance"
    ),
    "groups_quotaentity": quota,
    "groups_topic": lambda name: Topic.objects.create(name=name, topic_id=uuid4(), partitions=1),
    "groups_webhook": lambda name: Webhook.objects.create(name=name, url="https://h"),
    "otp_totp_totpdevice": lambda name: TOTPDevice.objects.create(
        user=User.objects.create(username=name)
    ),
}
"""A row of each list that has a search, with this name in a field that it searches."""


def in_list(model: str) -> Callable[[Client, str], int]:
    """The number of rows that the search of a list finds."""

    def search(visitor: Client, typed: str) -> int:
        return int(visitor.get(PATHS[model], {"q": typed}).context["cl"].result_count)

    return search


def in_rest(path: str) -> Callable[[Client, str], int]:
    """The number of rows that REST finds; it refuses NUL."""

    def search(visitor: Client, typed: str) -> int:
        answer = visitor.get(f"/api/v1/{path}", {"q": typed})
        assert answer.status_code == (400 if "\0" in typed else 200), answer.content
        return len(answer.json().get("data", ()))

    return search


def in_palette(visitor: Client, typed: str) -> int:
    return sum("/group/" in link or "/topic/" in link for link in hits(visitor, typed).values())


def in_tab(tab: str, parameter: str, rows: str) -> Callable[[Client, str], int]:
    """The number of rows of a tab of the only group's page."""

    def search(visitor: Client, typed: str) -> int:
        (group_id,) = Group.objects.values_list("group_id", flat=True)
        return len(visitor.get(page(group_id), {"tab": tab, parameter: typed}).context[rows])

    return search


SEARCHES: Final[Mapping[str, tuple[Callable[[str], object], Callable[[Client, str], int]]]] = {
    **{name: (make, in_list(name)) for name, make in MAKE.items()},
    "rest groups": (group, in_rest("groups")),
    "rest topics": (MAKE["groups_topic"], in_rest("topics")),
    "rest users": (kafka_user, in_rest("users")),
    "palette groups and members": (group, in_palette),
    "palette topics": (MAKE["groups_topic"], in_palette),
    "members of a group": (group, in_tab("members", "members", "members")),
    "offsets of a group": (group, in_tab("offsets", "topic", "offsets")),
}


@pytest.mark.parametrize("where", SEARCHES)
def test_a_name_is_found_by_any_part_of_it(where: str) -> None:
    make, search = SEARCHES[where]
    visitor, found = superuser(), {}
    pairs = [*((pair, True) for pair in FINDS), *((pair, False) for pair in MISSES)]
    has_others = where not in ALONE and search(visitor, "") > 0
    for (name, part), is_part in pairs if where in ALL else pairs[::6]:
        savepoint = str(connection.savepoint())
        before = search(visitor, part) if has_others else 0
        make(name)
        found[name, part] = search(visitor, part) > before, is_part
        connection.savepoint_rollback(savepoint)
    assert [pair for pair, (is_found, is_part) in found.items() if is_found != is_part] == []


ALL: Final = ("groups_group", "members of a group")
"""Searches that are asked for each pair, in SQL and in memory; the others share their function."""

ALONE: Final = ("members of a group", "offsets of a group")
"""Searches within the row that is made."""


def test_no_search_is_left_out() -> None:
    """A new one has its row above, and no code compares parts of names in another way."""
    assert SEARCHED.keys() == MAKE.keys()
    assert all(
        isinstance(site, RollcallAdmin) and ours(type(site)) for site in SEARCHED.values()
    ), "another get_search_results"
    methods = {
        (route, method)
        for route, pattern in rest().items()
        for method in ("get", "post", "put", "patch", "delete")
        if "q" in inputs.of(getattr(getattr(pattern.callback, "cls", None), method, None)).query
    }
    batches = {(route, method) for route, method in methods if route.startswith("groups:")}
    assert methods - batches == {("groups", "get"), ("topics", "get"), ("users", "get")}
    other = re.compile(
        r"__i(contains|startswith|endswith|regex)\b|\bILIKE\b|(lower|fold)\(\) in \w"
    )
    sources = [
        path
        for room in ("console", "groups")
        for path in (CHECKOUT / room).rglob("*.py")
        if "migrations" not in path.parts
    ]
    assert [str(path) for path in sources if other.search(path.read_text())] == []


def ours(site: type) -> bool:
    """Whether a list searches with ``RollcallAdmin.get_search_results``, also in between."""
    first = next(cls for cls in site.__mro__ if "get_search_results" in vars(cls))
    return first.__module__.startswith("console.admin.")


def test_a_letter_is_found_in_each_of_its_forms() -> None:
    """Whoever types a name has another keyboard, or it was copied from somewhere."""
    lost = []
    for letter in map(chr, range(0xD800)):
        typed = {letter.upper(), letter.lower(), letter.title(), letter.casefold()}
        typed |= {unicodedata.normalize("NFC", letter), unicodedata.normalize("NFD", letter)}
        typed |= {unicodedata.normalize("NFKC", letter), unicodedata.normalize("NFKD", letter)}
        lost += [(letter, part) for part in typed if folded(part) != folded(letter)]
    assert lost == []


def test_sql_and_memory_agree() -> None:
    """Whatever letters: the members of a group are searched in memory, lists in SQL."""
    chance = random.Random(7)
    letters = [chr(n) for n in range(1, 0x2FA20) if unicodedata.category(chr(n)) not in UNSURE]
    odd = [letter for letter in letters if folded(letter) != letter]
    pairs = set()
    for _ in range(8_000):
        name = "".join(chance.choices(odd, k=4) + chance.choices(letters, k=2))
        parts = (name[1:3].upper(), name[1:3].lower(), name[2:5], name[:2].swapcase(), name[0])
        pairs |= {(name, part) for part in parts if folded(part)}
    statement = f"""SELECT n, p, strpos({FOLDED.format("n")}, {FOLDED.format("p")}) > 0
                    FROM unnest(%s::text[], %s::text[]) AS t (n, p)"""
    with connection.cursor() as cursor:
        cursor.execute(statement, [*map(list, zip(*pairs, strict=True))])
        differ = [(n, p) for n, p, found in cursor.fetchall() if found != has_text(n, p)]
    assert differ == []


UNSURE: Final = {"Cn", "Cs", "Co"}
"""Not assigned yet in some version of Unicode."""
