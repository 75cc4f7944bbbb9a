"""The numbers that the script shows at each place of the knobs are those of the function."""

import json
from itertools import product
from pathlib import Path

from tests.explorables import node
from tests.explorables.demo import CHANCES, chances


def test_pure_functions(tmp_path: Path):
    places = list(product(*(range(len(values)) for values in CHANCES.axes.values())))
    settings = list(product(*CHANCES.axes.values()))
    expected = [
        [None if share is None else round(share, 2) for share in chances(*setting).values()]
        for setting in settings
    ]
    given = {"payload": json.loads(CHANCES.recorded.data), "places": places, "expected": expected}
    node.check(Path(__file__).with_name("knobs.test.js"), given, tmp_path)
