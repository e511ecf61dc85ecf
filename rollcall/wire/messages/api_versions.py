"""ApiVersions: which APIs the server has, in which versions (KIP-35, KIP-511,
KIP-1242).

The response is always framed without tagged fields, and a version that the server
lacks is answered in version 0: the client does not know the server yet.
"""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int16, int32, int64, string


@message(api_key=18, versions="0-5", flexible="3+")
class ApiVersionsRequest(Message):
    """A client asks what the server can do, and names itself, and whom it expects to talk to."""

    client_software_name: str = wire(string, since=3)  # KIP-511
    client_software_version: str = wire(string, since=3)
    cluster_id: str | None = wire(string, since=5, default=None)  # KIP-1242
    node_id: int = wire(int32, since=5, default=-1)


@struct
class ApiVersion(Struct):
    """One API: the first and the last version that is served."""

    api_key: int = wire(int16)
    min_version: int = wire(int16)
    max_version: int = wire(int16)


@struct
class SupportedFeatureKey(Struct):
    """A feature that this broker could run, with its levels (KIP-584)."""

    name: str = wire(string)
    min_version: int = wire(int16)
    max_version: int = wire(int16)


@struct
class FinalizedFeatureKey(Struct):
    """A feature that the cluster runs, with its levels (KIP-584)."""

    name: str = wire(string)
    max_version_level: int = wire(int16)
    min_version_level: int = wire(int16)


@message(api_key=18, versions="0-5", flexible="3+")
class ApiVersionsResponse(Message):
    """The APIs with their versions, and the features of the cluster."""

    error_code: int = wire(int16)
    api_keys: Sequence[ApiVersion] = wire(array(ApiVersion))
    throttle_time_ms: int = wire(int32, since=1)
    # KIP-584
    supported_features: Sequence[SupportedFeatureKey] = wire(
        array(SupportedFeatureKey), since=3, tag=0
    )
    finalized_features_epoch: int = wire(int64, since=3, default=-1, tag=1)
    finalized_features: Sequence[FinalizedFeatureKey] = wire(
        array(FinalizedFeatureKey), since=3, tag=2
    )
    zk_migration_ready: bool = wire(boolean, since=3, tag=3)  # KIP-866
