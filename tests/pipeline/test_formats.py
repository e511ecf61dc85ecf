"""Formats and stores that need jars which Spark does not bring: an S3-compatible server, Delta,
Iceberg. `make test-pipeline` fetches the jars (``formats/pom.xml``) and the server."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import deltalake
import pytest
from pyarrow import dataset, fs

from launcher.installation import CHECKOUT
from tests.launcher.waiting import until
from tests.pipeline.conftest import oracle, report, write
from tests.pipeline.journals import many

JARS, SERVER = (os.environ.get(f"ROLLCALL_{name}") for name in ("SPARK_JARS", "S3_SERVER"))

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.timeout(1_200),
    pytest.mark.long,
    pytest.mark.skipif(not JARS, reason="make test-pipeline fetches the jars"),
]

ADDRESS = re.compile(r"http://127[.]0[.]0[.]1:\d+")

DELTA = (
    "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
)


def pipeline(names: Sequence[str], settings: Sequence[str], *words: str) -> None:
    """A verb, with the jars whose names begin so."""
    folder = Path(JARS or "").resolve()
    jars = [path for name in names for path in folder.glob(f"{name}*.jar")]
    options = [f"--jars {','.join(map(str, jars))}", *(f"--conf {each}" for each in settings)]
    environ = {**os.environ, "PYSPARK_SUBMIT_ARGS": f"{' '.join(options)} pyspark-shell"}
    subprocess.run(
        [sys.executable, "-m", "pipeline", *words], cwd=CHECKOUT, env=environ, check=True
    )


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server of objects, with a bucket."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    said = tmp_path / "server.log"
    with said.open("w") as log, subprocess.Popen([SERVER or "", "-p", "0"], stderr=log) as server:
        try:
            found = until(lambda: ADDRESS.search(said.read_text()), "the server listens")
            monkeypatch.setenv("AWS_ENDPOINT_URL", found[0])
            fs.S3FileSystem(allow_bucket_creation=True).create_dir("bucket")
            yield found[0]
        finally:
            server.terminate()


def test_tables_and_increments_lie_in_an_object_store(url: str, endpoint: str) -> None:
    settings = [f"spark.hadoop.fs.s3a.{each}" for each in (
        f"endpoint={endpoint}", "endpoint.region=us-east-1", "path.style.access=true",
    )]  # fmt: skip
    write(url, many(2_000))
    for how in ("--whole", "--incremental", "--incremental"):
        jars = ("hadoop-aws", "bundle", "analyticsaccelerator")
        pipeline(jars, settings, "run", how, "--output", "s3a://bucket/run")
        assert report(url) == oracle(url)
    names = {info.path for info in fs.S3FileSystem().get_file_info(fs.FileSelector("bucket/run"))}
    assert names == {f"bucket/run/{name}" for name in ("increments", "rebalances", *OTHERS)}


OTHERS = ("member_lives", "intervals", "silences", "partition_hours")


def test_delta_and_iceberg_have_every_row(url: str, tmp_path: Path) -> None:
    write(url, many(2_000))
    pipeline((), (), "run", "--whole", "--output", str(tmp_path / "run"))
    rows = dataset.dataset(next((tmp_path / "run" / "rebalances").glob("run=*"))).count_rows()
    lake = [
        f"spark.sql.catalog.lake{each}" for each in (
            "=org.apache.iceberg.spark.SparkCatalog", ".type=hadoop",
            f".warehouse={tmp_path / 'lake'}",
        )
    ]  # fmt: skip
    for _ in range(2):  # an export can be repeated
        words = ("export", "--output", str(tmp_path / "run"), "--format")
        to = str(tmp_path / "delta")
        pipeline(("delta",), DELTA, *words, "delta-spark", "--to", to)
        pipeline(("iceberg",), lake, *words, "iceberg", "--to", "lake.rollcall")
        assert deltalake.DeltaTable(f"{to}/rebalances").to_pyarrow_dataset().count_rows() == rows
    assert iceberg_rows(tmp_path / "lake" / "rollcall" / "rebalances") == rows > 0


def iceberg_rows(table: Path) -> int:
    """By the summary of the newest snapshot."""
    version = (table / "metadata" / "version-hint.text").read_text().strip()
    told = json.loads((table / "metadata" / f"v{version}.metadata.json").read_text())
    (now,) = (
        each for each in told["snapshots"] if each["snapshot-id"] == told["current-snapshot-id"]
    )
    return int(now["summary"]["total-records"])
