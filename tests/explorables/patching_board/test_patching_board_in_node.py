"""The pure functions of the patching board, run by node."""

import json
from pathlib import Path

from tests.explorables import node
from tests.explorables.demo import PATCHES


def test_pure_functions(tmp_path: Path):
    check = Path(__file__).with_name("patching_board.test.js")
    node.check(check, json.loads(PATCHES.data), tmp_path)
