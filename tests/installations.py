"""The installations that tests share: one for all who only talk to it, and two nodes to kill.

The first is started by the process that pytest starts first, when some worker needs it, and
serves every worker until the run ends. A request and its answer are files in the run's folder.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from launcher import ports
from launcher.installation import START_S, Installation
from tests.launcher.waiting import until
from tests.security.certificates import Certificates

TOKEN = "the-installations-own-token-of-tests"

SETTINGS: Mapping[str, str] = {
    "ROLLCALL_API_TOKEN": TOKEN,
    # Nobody keeps these rows, and a disk that many share may stand still for half a minute.
    "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",
    # Tests and schemathesis ask as often as they can.
    "ROLLCALL_WEB_REST_READS_PER_MINUTE": "0",
    "ROLLCALL_WEB_REST_CHANGES_PER_MINUTE": "0",
    # No member there has one; its page is inspected.
    "ROLLCALL_WEB_SECOND_FACTOR": "optional",
    "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "500",
    # Members of the consumer protocol take a step per heartbeat; tests do not wait 5 s for each.
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "500",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "500",
    "ROLLCALL_PARTITION_ASSIGNMENT_STRATEGIES": "mine=tests.draft.own:assign",
}

PAIR: Mapping[str, str] = {
    **SETTINGS,
    "ROLLCALL_NODES": "2",
    # Tested are responses and their order, not timeouts on a machine under load.
    "ROLLCALL_REBALANCE_BACKOFF_MS": "60000",
    # Test after test kills a node, which would wait longer for slots each time.
    "ROLLCALL_NODE_RESTART_BACKOFF_MS": "0",
}

LISTENERS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
"""Of the installation that all share; the first is the one that most tests use."""

MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN")

WANTED, SERVES, FAILED = "installation.wanted", "installation.serves", "installation.failed"
LOOK_AGAIN_S = 0.05


@contextmanager
def on_demand(folder: Path) -> Iterator[None]:
    """Whoever asks meanwhile (``shared``) gets the one installation; its end is ours."""
    ended = threading.Event()
    server = threading.Thread(target=_serve, args=(folder, ended))
    server.start()
    try:
        yield
    finally:
        ended.set()
        server.join()


def _serve(folder: Path, ended: threading.Event) -> None:
    """This thread lives as long as the installation does, which watches its parent."""
    while not (folder / WANTED).exists():
        if ended.wait(LOOK_AGAIN_S):
            return
    try:
        with Installation({**SETTINGS, **_listening(folder)}) as running:
            _tell(folder / SERVES, running)
            ended.wait()
    except RuntimeError as failure:
        (folder / FAILED).write_text(str(failure))


def certificates(folder: Path) -> Path:
    """Where ``ca.pem`` and ``server.pem`` lie."""
    return folder / "certificates"


def _listening(folder: Path) -> dict[str, str]:
    """The settings of a listener of each kind; its certificates are made."""
    place = certificates(folder)
    place.mkdir()
    made = Certificates.make(place)
    served = zip(LISTENERS, ports.free(len(LISTENERS)), strict=True)
    return {
        "ROLLCALL_LISTENERS": ",".join(f"{name}://127.0.0.1:{port}" for name, port in served),
        "ROLLCALL_SSL_KEYSTORE_LOCATION": str(made.server),
        "ROLLCALL_SASL_ENABLED_MECHANISMS": ",".join((*MECHANISMS, "OAUTHBEARER")),
        **_issuer(folder),
        "ROLLCALL_CONNECTIONS_MAX_REAUTH_MS": "60000",
    }


def issuers_key(folder: Path) -> Path:
    """What signs tokens, as a JWK."""
    return folder / "issuer.private.json"


def _issuer(folder: Path) -> dict[str, str]:
    """The settings of an issuer whose keys are in a file."""
    from tests.security import issuer  # its libraries are for those who need them

    issuers_key(folder).write_text(json.dumps(issuer.RSA.as_dict(private=True)))
    keys = folder / "issuer.json"
    keys.write_bytes(issuer.KEYS)
    return {
        "ROLLCALL_SASL_OAUTHBEARER_JWKS_ENDPOINT_URL": keys.as_uri(),
        "ROLLCALL_SASL_OAUTHBEARER_EXPECTED_ISSUER": issuer.NAME,
        "ROLLCALL_SASL_OAUTHBEARER_EXPECTED_AUDIENCE": issuer.AUDIENCE,
    }


def _tell(path: Path, running: Installation) -> None:
    """The file appears whole."""
    told: dict[str, Any] = {
        name: str(getattr(running, name)) for name in ("data_dir", "kafka", "draft", "web")
    }
    told["settings"] = running.settings
    part = path.with_suffix(".part")
    part.write_text(json.dumps(told))
    part.rename(path)


class Started:
    """An installation of this process, from the first test that uses it until ``end``."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = settings
        self._stack = ExitStack()
        self._running: Installation | None = None

    def running(self) -> Installation:
        """It serves."""
        if self._running is None:
            self._running = self._stack.enter_context(Installation(self._settings))
        return self._running

    def end(self) -> None:
        """Stop it, if it runs."""
        self._running = None
        self._stack.close()


def shared(folder: Path) -> Installation:
    """The one installation, started if need be. It is not the caller's to stop or to kill."""
    (folder / WANTED).touch()
    serves, failed = folder / SERVES, folder / FAILED
    until(lambda: serves.exists() or failed.exists(), "an installation serves", START_S + 10)
    if failed.exists():
        raise RuntimeError(failed.read_text())
    body = json.loads(serves.read_text())
    found = Installation(body.pop("settings"), Path(body.pop("data_dir")))
    found.kafka, found.draft, found.web = body["kafka"], body["draft"], body["web"]
    return found
