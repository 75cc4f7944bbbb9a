"""Chapter 01b's table of scores and spans: names of variants."""

import pytest

from bottomup.experiments import Record
from bottomup.experiments.local_and_hard_attention.experiment import Kind

NAME = "local_and_hard_attention"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sort-location", Kind("sort", "location", "global", False)),
        ("translate-dot-feed", Kind("translate", "dot", "global", True)),
        ("translate-general-local_m", Kind("translate", "general", "local_m", False)),
        ("translate-general-local_p-feed", Kind("translate", "general", "local_p", True)),
    ],
)
def test_a_variant_is_read_from_its_name(name, kind):
    assert Kind.parse(name) == kind


def test_the_weight_on_the_right_position_is_measured_where_there_is_attention(tiny: Record):
    assert "gold_weight" not in tiny.runs[0]["metrics"]["sort-none"]
    assert all(0 < value < 1 for value in tiny.metric("sort-general.gold_weight"))
