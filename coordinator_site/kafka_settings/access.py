"""Who may come in, by which listener, and how much they may do.

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
    # Who may come in (docs/security.md).
    Text(
        "listeners",
        "",
        "NAME://host:port, with commas between; ours: empty is PLAINTEXT on the node's own port",
    ),
    Text(
        "advertised.listeners",
        "",
        "what clients of a listener are told where that is not its address, as NAME://host:port",
    ),
    Text(
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL",
        "NAME:PROTOCOL for each name in listeners",
    ),
    Flag(
        "insecure.listeners.allow",
        False,
        "ours: whether listeners without TLS and authentication may be elsewhere than on loopback",
    ),
    Text(
        "ssl.keystore.location",
        "",
        "a PEM file with a private key that has no password, and its certificates; read again when"
        " it changes",
    ),
    Text(
        "ssl.truststore.location",
        "",
        "a PEM file with the certificates of those who sign for clients",
    ),
    Choice(
        "ssl.client.auth",
        "none",
        "whether clients show a certificate",
        ("none", "requested", "required"),
    ),
    Text(
        "ssl.principal.mapping.rules",
        "DEFAULT",
        "from a client certificate's subject to a principal",
    ),
    Number(
        "ssl.handshake.timeout.ms",
        10_000,
        "ours: who has not finished the handshake by then is closed",
        100,
        60_000,
    ),
    Mechanisms(
        "sasl.enabled.mechanisms",
        ("SCRAM-SHA-256", "SCRAM-SHA-512"),
        "how clients of SASL listeners say who they are; PLAIN and OAUTHBEARER only over TLS or on"
        " loopback",
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
        "librdkafka's: a PEM file with whom to trust at that address; by default whom the system"
        " trusts",
    ),
    Text("sasl.oauthbearer.expected.issuer", "", "what a token's iss has to be"),
    Text(
        "sasl.oauthbearer.expected.audience",
        "",
        "what a token's aud has to be, or to have among others: one of these, with commas between",
    ),
    Text("sasl.oauthbearer.sub.claim.name", "sub", "the claim of a token that names the user"),
    Text(
        "sasl.oauthbearer.scope.claim.name",
        "scope",
        "the claim with scopes, which have to be texts where they are there; nothing goes by them",
    ),
    Mechanisms(
        "sasl.oauthbearer.algorithms",
        ("RS256", "PS256", "ES256"),
        "ours: how a token may be signed; never not at all, nor by a secret that both sides know",
        TOKEN_ALGORITHMS,
    ),
    Number(
        "sasl.oauthbearer.clock.skew.seconds",
        30,
        "how far the issuer's clock may be from ours",
        0,
        600,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        3_600_000,
        "how often the issuer's keys are read again; also when a token names an unknown one, every"
        " ten seconds at the most",
        1_000,
        DAY_MS,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        100,
        "until they are asked for again after a failure, twice as long after each more",
        10,
        60_000,
    ),
    Number(
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        10_000,
        "and so long at the most",
        10,
        DAY_MS,
    ),
    Number(
        "sasl.lockout.failures",
        10,
        "ours: after so many failures a name is refused from that address for a while; 0: never",
        0,
        1_000,
    ),
    Number(
        "sasl.lockout.ms",
        300_000,
        "ours: for how long, and how long a failure counts",
        1_000,
        DAY_MS,
    ),
    Number(
        "connection.failed.authentication.delay.ms",
        250,
        "a failed authentication is answered after so long; Kafka's 100 lets guesses come quicker",
        0,
        10_000,
    ),
    Number(
        "connections.max.reauth.ms",
        0,
        "after so long a client has to authenticate again (KIP-368); 0: never",
        0,
        DAY_MS,
    ),
    # Who may do what on the Kafka port (docs/acls.md).
    Choice(
        "authorizer",
        "off",
        "ours, for authorizer.class.name: on, where every request is judged by the ACLs",
        ("off", "on"),
    ),
    Principals(
        "super.users",
        "",
        "principals that may do everything, for instance User:ann;User:ben",
    ),
    Flag(
        "allow.everyone.if.no.acl.found",
        False,
        "whether everybody may do what no ACL speaks of; otherwise nobody may",
    ),
    Number(
        "acls.max",
        10_000,
        "ours: each node has all of them in memory, and reads all of them when one changes",
        1,
        100_000,
    ),
    # How much a client may use (docs/quotas.md).
    Number(
        "client.quotas.max",
        10_000,
        "ours: each node has all of them in memory, and reads all of them when one changes",
        1,
        100_000,
    ),
    Number(
        "client.quotas.metered.max",
        10_000,
        "ours: so many clients' use is counted by a node at once, a kilobyte each; of more, that of"
        " who has asked nothing for longest is forgotten",
        100,
        1_000_000,
    ),
    Number("quota.window.num", 11, "so many windows of what a client used are looked at", 2, 100),
    Number(
        "quota.window.size.seconds",
        1,
        "how long each is, and so the longest pause of who used too much; never more than a third"
        " of the shortest session that a member may have",
        1,
        60,
    ),
    Number(
        "controller.quota.window.num",
        11,
        "with the next: so many seconds' worth of partitions may be made and deleted at once",
        2,
        100,
    ),
    Number("controller.quota.window.size.seconds", 1, "as quota.window.size.seconds", 1, 60),
)
