"""The page of all tables, written from their classes: docs/pipeline-tables.md."""

from pipeline.datasets.dataset import Dataset, Report
from pipeline.datasets.what_if import WhatIf
from pipeline.sources.tables import TABLES
from pipeline.steps.table import STEPS
from pipeline.what_if import job

HEAD = """# The pipeline's tables

Written by `python -m pipeline tables`; a test compares. Times are UTC. [The pipeline](pipeline.md)
says how they are computed.
"""


def page() -> str:
    """The page, without a final line break."""
    sources = [table.dataset for table in TABLES.values()]
    made = {step.output: [dataset.NAME for dataset in step.inputs] for step in STEPS}
    parts = [HEAD, "## Sources\n", *(_section(dataset, ()) for dataset in sources)]
    for title, wants_reports in (("Tables", False), ("Reports", True)):
        parts.append(f"## {title}\n")
        for dataset, inputs in made.items():
            if issubclass(dataset, Report) is wants_reports:
                parts.append(_section(dataset, inputs))
    parts.append(_section(WhatIf, [*job.TABLES]))
    return "\n".join(parts).rstrip()


def _section(dataset: type[Dataset], inputs: list[str] | tuple[()]) -> str:
    doc = (dataset.__doc__ or "").split("\n\n")[0]
    question = f" {dataset.QUESTION}" if issubclass(dataset, Report) else ""
    lines = [f"### {dataset.NAME}\n", f"{doc}{question}\n"]
    if inputs:
        lines.append(f"From: {', '.join(inputs)}. ")
    lines.append(f"Key: {', '.join(f'`{name}`' for name in dataset.KEY)}.\n")
    lines += ["| column | type | meaning |", "|---|---|---|"]
    lines += [f"| `{c.name}` | `{c.type}` | {c.meaning} |" for c in dataset.COLUMNS]
    if dataset.CHECKS:
        lines += ["", *(f"- {sentence}" for sentence in dataset.CHECKS)]
    return "\n".join([*lines, ""])
