"""How the alignment explorer judges weights, and where it starts."""

from pathlib import Path

from tests.explorables import node


def test_pure_functions(tmp_path: Path):
    node.check(Path(__file__).with_name("alignments.test.js"), None, tmp_path)
