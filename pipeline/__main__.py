"""``python -m pipeline``: what was recorded, through Spark, into reports.

``spark-submit pipeline/__main__.py`` is the same. Ends with status 0 after it has done its work, 1
when something went wrong or another analysis is at work, 2 when something is missing that only
people can bring, or the command is wrong; the sentence is on standard error.
"""

import sys
from pathlib import Path

if not __package__:  # spark-submit puts this folder on the path, not the one above
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from pipeline.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
