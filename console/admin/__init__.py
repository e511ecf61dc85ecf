"""The admin: what operators see of groups, and what they may request.

Nothing here changes a group: verbs are operations that the group's owner executes, the same as
REST's (docs/architecture.md, *Operations*).
"""

from console.admin import (  # noqa: F401  (each registers its pages)
    acknowledgements,
    acls,
    advice,
    attention_rules,
    audit,
    groups,
    kafka_users,
    marks,
    nodes,
    operations,
    own_password,
    palette,
    people,
    quotas,
    reports,
    saved_views,
    schedule,
    second_factors,
    tokens,
    topics,
    webhooks,
)
