"""What the figures share of pure functions, run by node."""

from pathlib import Path

from tests.explorables import node


def test_pure_functions(tmp_path: Path):
    node.check(Path(__file__).with_name("shared.test.js"), None, tmp_path)
