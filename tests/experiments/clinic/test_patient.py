"""Chapter 11's patients and readings, on networks that were not trained."""

import math
from dataclasses import replace

import pytest
import torch

from bottomup.data import make_batch
from bottomup.decoding import beam_search, greedy
from bottomup.experiments.clinic import readings
from bottomup.experiments.clinic.config import PRESETS
from bottomup.experiments.clinic.diseases import (
    PIPELINES,
    over_all_places,
    over_real_tokens,
)
from bottomup.experiments.clinic.patient import Chart, Patient, Prefixes
from bottomup.experiments.clinic.signs import HIGH, LOW, NORMAL, Reading
from bottomup.experiments.clinic.task import batches, draw
from bottomup.experiments.clinic.training import sentences

TINY = PRESETS["tiny"]
SOURCES = [[4, 5, 6, 7, 8], [5, 4], [8, 8, 6]]


def patient(disease: str, seed: int = 0, **changes: float) -> Patient:
    """An untrained network in a pipeline."""
    config = replace(TINY, **changes)
    pipeline = PIPELINES[disease]
    torch.manual_seed(seed)
    network = pipeline.build(config.network)
    return Patient(
        config, pipeline, network, Chart((), (), (), 0.0), *sentences(config, pipeline, seed)
    )


def test_pairs_are_reversed_and_of_all_lengths_in_one_batch():
    pairs = draw(TINY, 40, 3, 1)
    assert all(target == source[::-1] for source, target in pairs)
    assert {len(source) for source, _ in pairs} == {2, 3, 4, 5}
    few = batches(TINY, 0, pairs[:1])(7)
    assert few.source.tolist() == [[*pairs[0][0], 2]] * TINY.batch_size


def test_the_test_sentences_are_in_the_training_of_one_disease_alone():
    for disease, pipeline in PIPELINES.items():
        known, test = sentences(TINY, pipeline, 5)
        assert len(known) == TINY.few
        assert (known[: len(test)] == test) == (disease == "test sentences in training")


def test_losses_by_hand():
    batch = make_batch([([4], [4]), ([4, 5], [5, 4])])  # two and three real tokens of three places
    logits = torch.zeros(2, 3, 8)
    logits[0, 2, 0] = math.log(9)  # padding is said with 9/16
    one = math.log(8)
    assert over_real_tokens(logits, batch).item() == pytest.approx(one)
    assert over_all_places(logits, batch).item() == pytest.approx((5 * one + math.log(16 / 9)) / 6)


def test_a_healthy_patient_decodes_as_the_cached_network_does():
    healthy = patient("healthy")
    batch = make_batch([(source, []) for source in SOURCES])
    expected = greedy(healthy.network, batch.source, batch.source_mask, max_length=10)
    assert healthy.greedy(SOURCES) == expected.to_lists()
    one = make_batch([(SOURCES[0], [])])
    found = beam_search(
        healthy.network, one.source, one.source_mask, beam=4, max_length=10, n_best=4
    )
    expected = [
        (tokens, log_p)
        for tokens, log_p, ended in zip(
            found.to_lists()[0], found.log_probabilities[0].tolist(), found.ended[0], strict=True
        )
        if ended
    ]
    got = healthy.beam(SOURCES[0])
    assert [tokens for tokens, _ in got] == [tokens for tokens, _ in expected]
    assert [p for _, p in got] == pytest.approx([p for _, p in expected], abs=1e-4)


def test_a_healthy_patient_answers_the_exact_questions():
    healthy = patient("healthy")
    for reading in (
        readings.asked_twice,
        readings.alone_less_in_a_batch,
        readings.own_token_changed,
        readings.later_token_changed,
        readings.weight_on_padding,
        readings.weight_on_the_future,
        readings.beam_recounted,
        readings.greedy_alone_less_in_a_batch,
    ):
        assert reading(healthy) == pytest.approx(0, abs=1e-5), reading.__name__
    assert readings.row_sums(healthy) == pytest.approx(1)
    assert readings.reported_over_recounted(healthy) == pytest.approx(1)
    assert readings.source_swapped(healthy) > 1e-3


@pytest.mark.parametrize(
    ("disease", "reading"),
    [
        ("no shift", readings.own_token_changed),
        ("no causal mask", readings.later_token_changed),
        ("no causal mask", readings.weight_on_the_future),
        ("mask after softmax", readings.alone_less_in_a_batch),
        ("heads reshaped", readings.alone_less_in_a_batch),
        ("source padding attended", readings.weight_on_padding),
        ("dropout on in evaluation", readings.asked_twice),
    ],
)
def test_what_is_ill_shows_before_any_training(disease, reading):
    assert reading(patient(disease, dropout=0.3)) > 1e-4


def test_a_disease_is_not_seen_where_it_is_not():
    assert readings.source_swapped(patient("no positions")) < 1e-5
    assert readings.alone_less_in_a_batch(patient("source mask forgotten in decoding")) < 1e-5
    assert readings.later_token_changed(patient("no shift")) < 1e-5


def test_a_cache_that_is_not_reordered_keeps_each_place_its_own_past():
    source, real = torch.tensor([[4, 2]] * 3), torch.ones(3, 2, dtype=torch.bool)
    state = Prefixes(source, real, torch.tensor([[1, 5], [1, 6], [1, 7]]))
    index = torch.tensor([2, 2, 0])
    assert patient("healthy").reorder(state, index).tokens[:, 1].tolist() == [7, 7, 5]
    ill = patient("cache not reordered")
    assert ill.reorder(state, index).tokens[:, 1].tolist() == [5, 6, 7]
    assert ill.reorder(state, index[:2]).tokens[:, 1].tolist() == [5, 6]
    first = Prefixes(source[:1], real[:1], torch.tensor([[1]]))  # one prefix, continued three times
    assert ill.reorder(first, torch.tensor([0, 0, 0])).tokens.tolist() == [[1], [1], [1]]


def test_a_band_gives_three_outcomes():
    reading = Reading(lambda patient: 0.0, least=1.0, most=2.0)
    bands = [each.band for each in (reading, replace(reading, least=-math.inf))]
    assert bands == ["1 to 2", "at most 2"]
    assert replace(reading, most=math.inf).band == "at least 1"
    assert [reading.outcome(value) for value in (0.5, 1.0, 2.0, 2.5)] == [LOW, NORMAL, NORMAL, HIGH]
