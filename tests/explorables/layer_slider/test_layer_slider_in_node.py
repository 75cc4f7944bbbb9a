"""The layer slider's places, names and axis."""

import json
from pathlib import Path

from tests.explorables import node
from tests.explorables.layer_slider.places import expected_dots
from tests.explorables.layer_slider_demo import LAYER_SLIDER


def test_pure_functions(tmp_path: Path):
    payload = json.loads(LAYER_SLIDER.data)
    given = {
        "tokens": payload["tokens"],
        "points": payload["points"],
        "places": [
            [expected_dots(stations, place) for place in range(len(stations))]
            for stations in payload["points"]
        ],
    }
    node.check(Path(__file__).with_name("layer_slider.test.js"), given, tmp_path)
