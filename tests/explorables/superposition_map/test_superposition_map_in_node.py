"""Where the map of superpositions puts numbers, and what counts as touching an arrow."""

from pathlib import Path

from tests.explorables import node


def test_pure_functions(tmp_path: Path):
    node.check(Path(__file__).with_name("superposition_map.test.js"), None, tmp_path)
