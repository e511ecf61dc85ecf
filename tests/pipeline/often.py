"""How often random stories of the pipeline are told: a few in `make test-long`, since each starts
Spark; many in `make test-pipeline`."""

import os

SEEDS = int(os.environ.get("ROLLCALL_PIPELINE_SEEDS", "4"))

KILLS = int(os.environ.get("ROLLCALL_PIPELINE_KILLS", "3"))
