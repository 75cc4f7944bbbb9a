"""What the inspector of neurons says of a neuron's key and its value."""

import json
from pathlib import Path

from bottomup.explorables import neuron_inspector
from tests.explorables import node


def test_pure_functions(tmp_path: Path):
    made = neuron_inspector(
        ["Ana", "Ben"],
        [0, 1],
        ["tennis", "chess"],
        activations=[[2.0, 2.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]],
        effects=[[1.0, 0.0], [0.0, 1.0], [-1.0, -2.0], [1.0, 0.0]],
    )
    given = json.loads(made.data)
    node.check(Path(__file__).with_name("neuron_inspector.test.js"), given, tmp_path)
