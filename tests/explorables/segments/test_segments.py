"""The figure of segments: its payload, its table, and its pure functions in node."""

import json
import re

import pytest

from bottomup.explorables import segments
from bottomup.explorables.segments import LAYERS, MEMORIES, SEGMENTS
from bottomup.models import longest_reach


def test_the_payload_holds_the_choices_and_where_it_starts():
    payload = json.loads(segments(positions=24).data)
    assert payload["positions"] == 24
    assert payload["start"] == {"segment": 4, "memory": 4, "layers": 2, "position": 23}
    assert payload["choices"]["memory"] == [0, 2, 4, 6, 8]


def test_the_longest_reach_fits_the_text():
    assert longest_reach(layers=max(LAYERS), segment=max(SEGMENTS), memory=max(MEMORIES)) == 31


def test_the_table_has_the_reach_of_two_layers():
    cells = re.findall(r">(\d+)</td>", segments().fallback)
    assert cells[:5] == ["3", "9", "11", "17", "19"]  # segments of 4
    assert len(cells) == len(SEGMENTS) * len(MEMORIES)


@pytest.mark.parametrize(("positions", "message"), [(7, "at least 8"), (33, "below 33, got 33")])
def test_what_does_not_fit_is_refused(positions: int, message: str):
    with pytest.raises(ValueError, match=f"positions: expected .*{message}"):
        segments(positions=positions)
