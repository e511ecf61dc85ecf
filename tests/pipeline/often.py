"""How often random stories of the pipeline are told: one in `make test-long`, since each runs for
a minute; many, and kill -9, in `make test-pipeline`."""

import os

SEEDS = int(os.environ.get("ROLLCALL_PIPELINE_SEEDS", "2"))

KILLS = int(os.environ.get("ROLLCALL_PIPELINE_KILLS", "0"))
