# Rollcall's verbs. A machine needs Python 3.11 or newer and make; the rest is brought into
# .tools (uv) and .venv (what uv.lock says, as much of it as the verb needs). Paths are relative, so a folder may have spaces.

UV := .tools/uv/bin/uv
UV_REQUIREMENTS := docker/uv-requirements.txt
PYTHON := .venv/bin/python
# What runs Rollcall, what its analysis adds (Spark and a Java: a gigabyte), and all that tests and linters need.
SERVING := .venv/.serving
ANALYSING := .venv/.analysing
READY := .venv/.synced
SERVER := --group server --group otel --group tour --extra cli
PIPELINE := --group spark --group delta
PURE := tests/core tests/foresight tests/walks tests/wire
# Without Django and PostgreSQL; so without two files that read the journal's sentences.
PURELY = env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(PYTHON) -m pytest -c tests/pure.ini --rootdir . --noconftest \
	$(addprefix -p ,xdist pytest_randomly pytest_timeout _hypothesis_pytestplugin tests.examples) \
	$(addprefix --ignore=tests/,core/test_vocabulary.py core/consumer/test_client_reasons.py)
# Two workers more than processors: each waits for a third of its time. One more for what is long, which starts
# installations and other languages' programs, that have work for the processors themselves.
MORE := 2
# A worker that dies is not replaced: its test is named, and the others go on (pytest-xdist waits for ever where it
# replaces one of a group).
RUN_TESTS = -m pytest --dist loadgroup --max-worker-restart 0 --no-loadscope-reorder -n "$$($(PYTHON) -c 'import os; print(min(max(os.cpu_count() or 2, 2) + $(MORE), 8))')"
PYTEST = $(PYTHON) $(RUN_TESTS)

# Of each of five targets.
FUZZ_RUNS := 4000000

# make's own idea of "shell" varies; these recipes are plain POSIX.
SHELL := /bin/sh

export UV_PROJECT_ENVIRONMENT := .venv
export UV_PYTHON_DOWNLOADS := never
unexport VIRTUAL_ENV PYTHONHOME
# Else each of the many processes of an installation, and of a test run, compiles every module anew.
unexport PYTHONDONTWRITEBYTECODE

# The first Python of these that is new enough and can make a virtual environment.
find_python = for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		&& { "$$name" -c 'import sys; print(sys.executable)'; exit 0; }; \
	done; \
	echo 'Rollcall needs Python 3.11 or newer, with its venv module, on the PATH.' >&2; exit 1

make_environment = python="$$($(find_python))" && \
	{ $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| $(UV) venv --quiet --clear --python "$$python" .venv; }

.DEFAULT_GOAL := help
.PHONY: audit chart docs sbom help setup run test test-long test-pipeline test-proof test-chaos test-all check pure coverage pythons clients fuzz contract differential mutants lint fmt scenarios schema demo analyze screenshots bench chaos zombies failover soak stories predicted hosts image stranger

help: ## what the verbs are
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile

setup: $(READY) ## make the whole virtual environment, if need be

# No shell stands between make and the launcher: it watches its parent.
run: $(SERVING) ## serve everything in the foreground until Ctrl-C
	@$(PYTHON) -m launcher --stop-with-parent

# Some random walks and bytes of each property; `make test-proof` has all of them.
test: $(READY) ## every tier, in parallel and in random order, without what is long
	ROLLCALL_TEST_EXAMPLES=20 ROLLCALL_FUZZ_FACTOR=0.3 $(PYTEST) -m "not long" $(ARGS)

test-long: MORE := 1
test-long: $(READY) ## what is long, and which twenty tests took longest
	$(PYTEST) -m long --durations=20 $(ARGS)

test-pipeline: $(READY) ## many random cuts and kills of the pipeline, and replays: about an hour
	ROLLCALL_PIPELINE_SEEDS=30 ROLLCALL_PIPELINE_KILLS=30 $(PYTEST) -m long tests/pipeline $(ARGS)

# A mutant that survives is told and fails nothing (status 1): which are drawn changes with every line.
test-proof: $(READY) ## the pure tiers with all random walks, 500 seeds of the simulator, and some mutants (docs/testing.md)
	$(PURELY) -q -n 2 -m "not long" $(PURE)
	$(PYTHON) -m proof simulate --seeds 500
	$(PYTHON) -m tests.mutation --count 30 --minutes 3 || [ $$? -eq 1 ]

test-chaos: $(READY) ## a little of `make chaos`: twelve faults, about a minute
	$(PYTHON) -m proof chaos --minutes 2 --most 12

test-all: ## all tests: `make test`, then what is long, then the proof
	$(MAKE) test
	$(MAKE) test-long
	$(MAKE) test-proof
	$(MAKE) test-chaos

check: $(READY) ## while writing: `make lint` beside the tiers that are pure, with fewer random walks
	@$(MAKE) --no-print-directory -j2 lint pure

pure: $(READY) ## tests that need no PostgreSQL: all, or PURE="tests/core ..."
	ROLLCALL_TEST_EXAMPLES=10 ROLLCALL_FUZZ_FACTOR=0.2 $(PURELY) -q -n 2 -m "not long" $(PURE) $(ARGS)

coverage: $(READY) ## which lines and branches `make test` runs: a figure, no gate
	$(PYTHON) -m coverage erase
	$(PYTHON) -m coverage run $(RUN_TESTS) -m "not long" --timeout=0 $(ARGS)
	$(PYTHON) -m coverage combine --quiet
	$(PYTHON) -m coverage report

pythons: $(READY) ## the pure tiers, the store and nodes, on every Python from 3.11 to 3.14 that is there
	@for version in 3.11 3.12 3.13 3.14; do \
		export PYENV_VERSION="$$version"; \
		"python$$version" -c '' 2>/dev/null \
			|| { echo "Python $$version is not installed: skipped."; continue; }; \
		echo "Python $$version:"; place="build/python-$$version"; \
		UV_PROJECT_ENVIRONMENT="$$place" $(UV) sync --frozen --group server --quiet --python "python$$version" \
			&& "$$place/bin/python" -m pytest -q -n 2 -m "not long" $(PURE) tests/store tests/node $(ARGS) \
			|| exit 1; \
	done

clients: $(READY) ## stock clients of every language; fails where Java, Maven, Go, Node, Rust or a C compiler is missing
	ROLLCALL_CLIENTS=all $(PYTHON) -m pytest --dist loadgroup -n 2 tests/clients tests/client_library/test_processes.py tests/example_programs $(ARGS)

fuzz: $(READY) ## hostile bytes by coverage (20 million), then bytes and requests by chance, 200 times as long as in the tests
	@UV_PROJECT_ENVIRONMENT=build/fuzz-env $(UV) sync --frozen --quiet --group server --group fuzz
	build/fuzz-env/bin/python -m tests.fuzzing --runs $(FUZZ_RUNS)
	ROLLCALL_FUZZ_FACTOR=200 $(PYTHON) -m pytest -n 2 --timeout=0 tests/wire tests/server/test_fuzz.py $(ARGS)

contract: $(READY) ## requests to REST by chance, from its OpenAPI description, as each role: 10,000 and more
	$(PYTHON) -m tests.api.contract $(ARGS)

differential: $(READY) ## random scenarios on Rollcall and Apache Kafka at once (Java 17 and Maven)
	$(PYTHON) -m tests.differential $(ARGS)

mutants: $(READY) ## does a test fail when one thing is changed? (ARGS="--count 300": some of them)
	$(PYTHON) -m tests.mutation $(ARGS)

# pip-audit is in an environment of its own: nothing else needs what it brings along.
audit: $(READY) ## known vulnerabilities of what uv.lock names, by PyPI's service; fails where that cannot be asked
	@mkdir -p build
	@UV_PROJECT_ENVIRONMENT=build/audit-env $(UV) sync --frozen --quiet --only-group audit --no-install-project
	@$(UV) export --frozen --quiet --all-extras --all-groups --no-emit-project --output-file build/requirements.txt >/dev/null
	@$(PYTHON) -m tests.supply.audit build/audit-env/bin/pip-audit build/requirements.txt

sbom: $(READY) ## what the server, its analysis and the wheel's extras bring along, as CycloneDX 1.5, into build/sbom.json
	@mkdir -p build
	@$(UV) export --frozen --quiet --all-extras --no-default-groups $(filter-out --extra cli,$(SERVER)) $(PIPELINE) --group redis --group import --format cyclonedx1.5 --output-file build/sbom.json >/dev/null

# ROLLCALL_PROJECT_URL: where the repository is; the description of the packages links to it.
.PHONY: packages
packages: $(READY) ## the wheel and the source distribution, into build/dist: built twice, checked, used on every Python there is
	@UV_PROJECT_ENVIRONMENT=build/packages-env $(UV) sync --frozen --quiet --only-group packages --no-install-project
	@$(PYTHON) -m tests.supply.packages build/dist build/packages-env/bin

# What a release publishes (.github/workflows/release.yml), of a tag that agrees with version and changelog.
.PHONY: release
release: $(READY) ## packages, bill of materials, site and notes of TAG=vX.Y.Z, into build/release
	@rm -rf build/release && mkdir -p build/release
	$(PYTHON) -m tests.supply.release "$(TAG)" > build/release/notes.md
	$(MAKE) packages sbom docs
	cp -R build/dist build/release/dist && rm -f build/release/dist/.gitignore
	cp build/sbom.json build/release/
	tar -czf build/release/docs.tar.gz -C build docs

lint: $(READY) ## style, types, and who may import whom
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy .
	.venv/bin/lint-imports

fmt: $(READY) ## put the code into its format
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

scenarios: $(READY) ## write the transcripts anew; the diff is the review
	$(PYTHON) -m tests.core.scenarios --rewrite
	$(PYTHON) -m tests.core.draft.scenarios --rewrite
	$(PYTHON) -m tests.core.commanded.scenarios --rewrite
	$(PYTHON) -m tests.walks.recorded --rewrite

schema: $(READY) ## write groups/schema.sql and baseline.sql anew, by the migrations; the diff is the review
	$(PYTHON) -m tests.store.schema

demo: $(READY) ## members of sample groups come and go until Ctrl-C, beside `make run`
	$(PYTHON) -m demo $(ARGS)

analyze: $(ANALYSING) ## what rebalances cost: the journal through Spark, into the report
	$(PYTHON) -m pipeline $(ARGS)

chart: $(READY) ## deploy/kubernetes as a chart for Helm, in build/helm/rollcall
	$(PYTHON) -m launcher.helm_chart

docs: $(READY) ## the documentation as a site that needs no network, in build/docs
	@UV_PROJECT_ENVIRONMENT=build/docs-env $(UV) sync --frozen --quiet --no-default-groups --group docs
	build/docs-env/bin/python -m launcher.docs_site

screenshots: $(READY) ## pictures of the admin's pages, into docs/screenshots
	$(PYTHON) -m launcher.screenshots docs/screenshots

bench: $(READY) ## measure, and compare with the figures in the documentation
	$(PYTHON) -m benchmarks

soak: $(READY) ## ten thousand simulated lives of a cluster, each with its own troubles
	$(PYTHON) -m proof simulate --seeds 10000 $(ARGS)

stories: $(READY) ## ten thousand stories of groups of every kind: is each rebalance explained as it was?
	$(PYTHON) -m proof stories --stories 10000 $(ARGS)

predicted: $(READY) ## a session timeout that advice proposes, predicted by what-if, then run with simulated members
	$(PYTHON) -m proof predicted $(ARGS)

chaos: $(READY) ## hurt real processes under real members, 300 faults, and judge; then zombies and failover (half an hour)
	$(PYTHON) -m proof chaos --minutes 60 --most 300 $(ARGS)
	$(MAKE) zombies failover ARGS=

zombies: $(READY) ## a hundred nodes whose writes come late
	$(PYTHON) -m proof zombies --count 100 $(ARGS)

failover: $(READY) ## crash, hang and hand-over under 200 members with stock timing
	$(PYTHON) -m proof failover --rounds 3 $(ARGS)

hosts: $(READY) ## three hosts and a primary with its standby, hurt in 22 rounds (root: network namespaces; ten minutes)
	$(PYTHON) -m tests.hosts --rounds 22 $(ARGS)

image: $(READY) ## the image without Docker: Debian's packages, the Dockerfile's steps, every process (root, mmdebstrap)
	ROLLCALL_IMAGE=all $(PYTHON) -m pytest -q -n 0 tests/docker/test_rootfs.py $(ARGS)

stranger: $(READY) ## three Debians with what the README asks for: its two commands, and the wheel with each extra (root, mmdebstrap)
	$(MAKE) packages
	$(PYTHON) -m tests.supply.stranger build/stranger --wheel build/dist/*.whl $(ARGS)

# Each adds to what is there: a lesser one removes nothing of a greater one.
$(SERVING): pyproject.toml uv.lock | $(UV)
	@$(make_environment)
	@$(UV) sync --frozen --inexact --no-default-groups $(SERVER) --compile-bytecode --quiet
	@touch $@

$(ANALYSING): $(SERVING)
	@$(UV) sync --frozen --inexact --no-default-groups $(SERVER) $(PIPELINE) --compile-bytecode --quiet
	@touch $@

$(READY): pyproject.toml uv.lock | $(UV)
	@$(make_environment)
	@$(UV) sync --frozen $(SERVER) $(PIPELINE) --extra mcp --compile-bytecode --quiet
	@touch $(SERVING) $(ANALYSING) $@

# pip comes with venv, except where a distribution packs it apart; then a pip that is there helps.
$(UV): $(UV_REQUIREMENTS)
	@python="$$($(find_python))" && rm -rf .tools/uv && mkdir -p .tools && \
	if "$$python" -c 'import ensurepip' 2>/dev/null; then \
		"$$python" -m venv .tools/uv && \
		.tools/uv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(UV_REQUIREMENTS); \
	elif "$$python" -m pip --version >/dev/null 2>&1; then \
		"$$python" -m pip install --quiet --disable-pip-version-check \
			--target .tools/uv --require-hashes -r $(UV_REQUIREMENTS); \
	else \
		echo "$$python has neither ensurepip nor pip (Debian: the package python3-venv)." >&2; exit 1; \
	fi
	@test -x $@ || { rm -rf .tools/uv; echo 'uv could not be installed from PyPI.' >&2; exit 1; }
	@touch $@
