"""The switches of the gallery of heads."""

import json
from pathlib import Path

from tests.explorables import node
from tests.explorables.demo import HEADS


def test_pure_functions(tmp_path: Path):
    given = {"accuracy": json.loads(HEADS.data)["accuracy"]}
    node.check(Path(__file__).with_name("head_gallery.test.js"), given, tmp_path)
