"""Authentication, per listener, and limits on usage.

Rows of the table of settings (``coordinator_site.kafka_settings``).
"""

from typing import Final

from coordinator_site.setting_kinds import (
    DAY_MS,
    Choice,
    Flag,
    Mechanisms,
    Number,
    Principals,
    Setting,
    Text,
)

MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN", "OAUTHBEARER")
TOKEN_ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519"),
)

SETTINGS: Final[tuple[Setting, ...]] = (
    # Authentication (docs/security.md).
    Text(
        "listeners",
        "",
        "NAME://host:port, separated by commas; ours: empty means PLAINTEXT on the node's own port",
    ),
    Text(
        "advertised.listeners",
        "",
        "addresses that clients receive, as NAME://host:port, for listeners where they differ"
        " from the listener's own",
    ),
    Text(
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL",
        "NAME:PROTOCOL for each name in listeners",
    ),
    Flag(
        "insecure.listeners.allow",
        False,
        "ours: allows listeners without TLS and authentication on addresses other than loopback",
    ),
    Text(
        "ssl.keystore.location",
        "",
        "a PEM file with an unencrypted private key and its certificates; read again when it"
        " changes",
    ),
    Text(
        "ssl.truststore.location",
        "",
        "a PEM file with the certificates of the authorities that sign client certificates",
    ),
    Choice(
        "ssl.client.auth",
        "none",
        "whether clients present a certificate",
        ("none", "requested", "required"),
    ),
    Text(
        "ssl.principal.mapping.rules",
        "DEFAULT",
        "rules that map the subject of a client certificate to a principal",
    ),
    Number(
        "ssl.handshake.timeout.ms",
        10_000,
        "ours: a connection is closed if its TLS handshake is not complete by then",
        100,
        60_000,
    ),
    Mechanisms(
        "sasl.enabled.mechanisms",
        ("SCRAM-SHA-256", "SCRAM-SHA-512"),
        "mechanisms by which clients of SASL listeners authenticate; PLAIN and OAUTHBEARER only"
        " with TLS or on loopback",
        MECHANISMS,
    ),
    Text(
        "sasl.oauthbearer.jwks.endpoint.url",
        "",
        "where the issuer of tokens publishes its keys: https://... or file:///...",
    ),
    Text(
        "https.ca.location",
        "",
        "librdkafka's: a PEM file with the certificate authorities to trust at that address; by"
        " default those of the system",
    ),
    Text("sasl.oauthbearer.expected.issuer", "", "the required value of a token's iss"),
    Text(
        "sasl.oauthbearer.expected.audience",
        "",
        "allowed audiences, separated by commas; a token's aud must be or contain one of them",
    ),
    Text(
        "sasl.oauthbearer.sub.claim.name",
        "sub",
        "the claim of a token that contains the user's name",
    ),
    Text(
        "sasl.oauthbearer.scope.claim.name",
        "scope",
        "the claim with scopes; if present, they must be strings. They are not used otherwise",
    ),
    Mechanisms(
        "sasl.oauthbearer.algorithms",
        ("RS256", "PS256", "ES256"),
        "ours: allowed signature algorithms; unsigned tokens and shared secrets (HMAC) are never"
        " allowed",
        TOKEN_ALGORITHMS,
    ),
    Number(
        "sasl.oauthbearer.clock.skew.seconds",
        30,
        "tolerated difference between the issuer's clock and ours",
        0,
        600,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        3_600_000,
        "how often the issuer's keys are read again; also when a token names an unknown key, at"
        " most every ten seconds",
        1_000,
        DAY_MS,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        100,
        "the wait before the first retry after a failure to read the keys; it doubles with each"
        " further failure",
        10,
        60_000,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        10_000,
        "the longest such wait",
        10,
        DAY_MS,
    ),
    Number(
        "sasl.lockout.failures",
        10,
        "ours: after this many failed authentications a name is refused from that address for a"
        " while; 0: never",
        0,
        1_000,
    ),
    Number(
        "sasl.lockout.ms",
        300_000,
        "ours: for how long it is refused, and how long a failure counts",
        1_000,
        DAY_MS,
    ),
    Number(
        "connection.failed.authentication.delay.ms",
        250,
        "delay of the reply to a failed authentication; Kafka's 100 allows faster guessing",
        0,
        10_000,
    ),
    Number(
        "connections.max.reauth.ms",
        0,
        "time after which a client must authenticate again (KIP-368); 0: never",
        0,
        DAY_MS,
    ),
    # Authorization on the Kafka port (docs/acls.md).
    Choice(
        "authorizer",
        "off",
        "ours, in place of authorizer.class.name; on: every request is checked against the ACLs",
        ("off", "on"),
    ),
    Principals(
        "super.users",
        "",
        "principals that may do everything, for example User:ann;User:ben",
    ),
    Flag(
        "allow.everyone.if.no.acl.found",
        False,
        "whether everyone may use a resource without ACLs; otherwise no one may",
    ),
    Number(
        "acls.max",
        10_000,
        "ours: each node keeps all ACLs in memory, and reads all when one changes",
        1,
        100_000,
    ),
    # Quotas (docs/quotas.md).
    Number(
        "client.quotas.max",
        10_000,
        "ours: each node keeps all quotas in memory, and reads all when one changes",
        1,
        100_000,
    ),
    Number(
        "client.quotas.metered.max",
        10_000,
        "ours: clients whose use a node measures at once, a kilobyte each; beyond it, the client"
        " with the oldest last request is forgotten",
        100,
        1_000_000,
    ),
    Number(
        "quota.window.num",
        11,
        "number of windows over which the use of a client is measured",
        2,
        100,
    ),
    Number(
        "quota.window.size.seconds",
        1,
        "length of a window, and so the longest pause of a client over its quota; at most a"
        " third of the shortest session timeout of members",
        1,
        60,
    ),
    Number(
        "controller.quota.window.num",
        11,
        "with the next setting: the quota allows partitions for this many seconds to be created"
        " and deleted at once",
        2,
        100,
    ),
    Number("controller.quota.window.size.seconds", 1, "as quota.window.size.seconds", 1, 60),
)
