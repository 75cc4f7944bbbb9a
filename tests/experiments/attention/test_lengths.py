"""Chapter 01's short sentences and turned sources: what is trained on."""

import pytest

from bottomup.experiments import Record
from bottomup.experiments.attention.lengths import experiment as lengths
from bottomup.experiments.shared.translation import load_data

NAME = "attention_lengths"
TINY = lengths.PRESETS["tiny"]


def test_a_turned_corpus_has_its_sources_backwards_and_its_targets_as_they_were():
    data = load_data(TINY.corpus_size, 0)
    turned = lengths.turned(data)
    (source, target), (backwards, same) = data.train[0], turned.train[0]
    assert backwards == source[::-1] != source and same == target
    (tested,) = data.encode(data.test[:1])
    assert turned.encode(turned.test[:1]) == [(tested[0][::-1], tested[1])]
    assert turned.test == data.test  # tested at the same lengths


@pytest.mark.parametrize(("words", "short"), [(11, True), (12, False)])
def test_a_pair_is_short_by_its_source(words: int, short: bool):
    assert lengths.is_short(TINY, ([5] * words, [5] * 40)) == short


def test_of_all_pairs_some_are_short(tiny: Record):
    every, few, turned = (tiny.metric(f"none_{x}.pairs") for x in ("all", "short", "reversed"))
    assert few < every == turned
