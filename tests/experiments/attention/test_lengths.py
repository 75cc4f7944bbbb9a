"""Chapter 01's short sentences and turned sources: what is trained on, and a tiny run."""

import pytest

from bottomup import experiments
from bottomup.experiments.attention.lengths import experiment as lengths
from bottomup.experiments.shared.translation import load_data

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


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = lengths.run(TINY, (0, 1, 2), "cpu")
    every, short = tiny.metric("none_all.pairs"), tiny.metric("none_short.pairs")
    assert all(few < many for few, many in zip(short, every, strict=True))
    assert tiny.metric("none_reversed.pairs") == every
    for name in lengths.VARIANTS:
        assert all(0 <= value <= 100 for value in tiny.metric(f"{name}.bleu"))
    assert [claim.id for claim in experiments.claims(tiny)] == [f"01.1{x}" for x in "defgh"]
