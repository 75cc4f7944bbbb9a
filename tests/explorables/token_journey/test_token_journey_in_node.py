"""How a token's journey writes its numbers."""

from pathlib import Path

from tests.explorables import node


def test_pure_functions(tmp_path: Path):
    node.check(Path(__file__).with_name("token_journey.test.js"), None, tmp_path)
