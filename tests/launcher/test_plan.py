"""The plan: what is started, and in which order."""

from pathlib import Path

from launcher import plan
from launcher.data_dir import DataDir
from launcher.environment import Environment
from launcher.process import Task


def test_nodes_have_priority_over_the_web(tmp_path: Path) -> None:
    data_dir = DataDir(tmp_path)
    data_dir.make()
    wanted = Environment(tmp_path, 0, 0, 0, 2, None)

    stages = plan.build(wanted, data_dir, "postgresql://127.0.0.1/none", None)

    names = [
        [stage.name] if isinstance(stage, Task) else [one.name for one in stage] for stage in stages
    ]
    assert names == [["setup"], ["node 0", "node 1"], ["web", "worker"]]
