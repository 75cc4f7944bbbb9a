"""Chapter 01's experiments: from the tiny preset to claims, and what each number means."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from bottomup import experiments
from bottomup.data.minilang import Link, SentencePair
from bottomup.experiments import NAMES, Record, Verdict
from bottomup.experiments.attention import experiment as attention
from bottomup.experiments.attention.examples import examples, find_examples
from bottomup.experiments.attention.reversal import experiment as attention_reversal
from bottomup.experiments.engine.record import to_json
from bottomup.experiments.shared.links import agreement, diagonal, main_verb
from bottomup.experiments.shared.recurrent import Variant
from tests.experiments.records import alike

SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def translated() -> Record:
    return attention.run(attention.PRESETS["tiny"], SEEDS, "cpu")


@pytest.fixture(scope="module")
def reversed_digits() -> Record:
    return attention_reversal.run(attention_reversal.PRESETS["tiny"], SEEDS, "cpu")


def without_time(record: Record) -> dict:
    content = json.loads(to_json(record))
    del content["seconds"]
    return content


def invented(name: str, metrics: dict) -> Record:
    """A record of the recorded preset whose seeds all have the same metrics."""
    return alike(name, metrics, experiments.experiment(name).preset("recorded"))


PAIR = SentencePair(
    source=("farmers", "read", "books", "."),
    target=("농부", "-들", "-은", "책", "-을", "읽", "-느", "-다", "."),
    links=(
        Link(0, 0, True), Link(1, 0, False), Link(2, 0, False), Link(3, 2, True),
        Link(4, 2, False), Link(5, 1, True), Link(6, 1, False), Link(7, 1, False),
        Link(8, 3, False),
    ),
)  # fmt: skip


@pytest.mark.slow
def test_a_tiny_translation_gives_every_measure(translated: Record):
    assert set(translated.runs[0]["metrics"]) == {"diagonal", *translated.config["variants"]}
    for variant in ("bahdanau_12", "dot_12", "general_12", "concat_12"):
        for name in ("aer", "link_accuracy", "sure_accuracy", "verb_accuracy", "exact"):
            assert all(0 <= value <= 1 for value in translated.metric(f"{variant}.{name}"))
    short, long = (translated.metric(f"none_24.bleu_by_length.{n}") for n in ("4-9", "10-20"))
    differences = [one - other for one, other in zip(short, long, strict=True)]
    assert translated.metric("none_24.bleu_fall") == pytest.approx(differences, abs=2e-6)
    assert translated.metric("diagonal.sentences") == (20, 20, 20)
    assert [claim.id for claim in experiments.claims(translated)] == [
        "01.1a", "01.1b", "01.2a", "01.2b",
    ]  # fmt: skip


@pytest.mark.slow
def test_sentences_are_kept_with_the_weights_of_every_kind(translated: Record):
    first, _second = examples(translated)
    assert set(first.weights) == {"bahdanau", "dot", "general", "concat"}
    for weights in first.weights.values():
        assert weights.shape == (len(first.target), len(first.source))
        assert (weights >= 0).all() and (weights.sum(axis=1) < 1.001).all()
    assert len(first.glosses) == len(first.romanised) == len(first.target_classes)
    assert "the" in first.source and first.source_classes[first.source.index("the")] == "function"
    assert any(sure for _target, _source, sure in first.links)


@pytest.mark.slow
def test_a_record_without_sentences_says_so(translated: Record):
    with pytest.raises(LookupError, match="keeps no sentences"):
        examples(replace(translated, arrays={}))


@pytest.mark.slow
def test_a_tiny_reversal_gives_accuracy_by_length(reversed_digits: Record):
    accuracy = reversed_digits.metric("bahdanau_12.accuracy")
    assert all(list(by_length) == ["3", "5", "7"] for by_length in accuracy)
    inside = [by_length["3"] - by_length["5"] for by_length in accuracy]
    assert reversed_digits.metric("bahdanau_12.fall_inside") == pytest.approx(inside, abs=2e-6)
    beyond = [by_length["5"] - by_length["7"] for by_length in accuracy]
    assert reversed_digits.metric("bahdanau_12.fall_beyond") == pytest.approx(beyond, abs=2e-6)
    assert [claim.id for claim in experiments.claims(reversed_digits)] == ["01.1c"]


@pytest.mark.slow
def test_an_interrupted_training_goes_on_to_the_same_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reversed_digits: Record
):
    step, calls = attention_reversal.SequenceTask.__call__, 0

    def stop_once(task: attention_reversal.SequenceTask, number: int) -> object:
        nonlocal calls
        calls += 1
        if calls == 17:  # in the second variant
            signal.raise_signal(signal.SIGINT)
        return step(task, number)

    config = attention_reversal.PRESETS["tiny"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(attention_reversal.SequenceTask, "__call__", stop_once)
    try:
        with pytest.raises(KeyboardInterrupt):
            attention_reversal.run(config, SEEDS, "cpu", out=tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    left = {path.name for path in (tmp_path / "units").iterdir()}
    assert left == {"none_12-0.json", "none_12-0.npz", "bahdanau_12-0.pt"}
    record = attention_reversal.run(config, SEEDS, "cpu", out=tmp_path)
    assert without_time(record) == without_time(reversed_digits)
    assert calls == 9 * 12  # no step of the training was taken twice


@pytest.mark.slow
def test_parallel_trainings_give_the_numbers_of_serial_ones(reversed_digits: Record):
    config = attention_reversal.PRESETS["tiny"]
    parallel = attention_reversal.run(config, SEEDS, "cpu", jobs=2)
    assert without_time(parallel) == without_time(reversed_digits)


def test_the_main_verb_is_the_last_predicate_with_a_sure_link():
    assert main_verb(PAIR) == {(5, 1)}
    assert main_verb(PAIR._replace(links=PAIR.links[:5])) == set()


def test_links_are_compared_by_hand():
    # n = 9 target tokens and m = 4 words: token t is linked to word t * 4 // 9
    assert diagonal(PAIR) == {
        (0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (6, 2), (7, 3), (8, 3),
    }  # fmt: skip
    found = agreement([diagonal(PAIR)], [PAIR])
    # of 3 sure links it finds one, of the 9 possible ones tokens 0, 1, 2 and 8
    assert found == {
        "aer": pytest.approx(1 - (1 + 4) / (9 + 3)),
        "link_accuracy": pytest.approx(4 / 9),
        "sure_accuracy": pytest.approx(1 / 3),
        "verb_accuracy": 0.0,
    }


def test_an_example_is_the_shortest_sentence_with_the_words():
    longer = PAIR._replace(source=("old", *PAIR.source))
    assert find_examples([longer, PAIR], ["books read", "old"]) == [PAIR, longer]
    with pytest.raises(ValueError, match="'blue books'"):
        find_examples([PAIR], ["blue books"])


def test_a_variant_names_attention_and_steps():
    assert Variant.parse("none_12800") == Variant("none", 12800)


@pytest.mark.parametrize(
    "fixed, attending, verdicts",
    [
        (30.0, 2.0, (Verdict.HOLDS, Verdict.HOLDS)),
        (2.0, 30.0, (Verdict.FAILS, Verdict.FAILS)),
    ],
)
def test_the_claims_on_length_follow_the_record(
    fixed: float, attending: float, verdicts: tuple[Verdict, ...]
):
    links = {"aer": 0.8, "verb_accuracy": 0.9}
    record = invented(
        "attention",
        {
            "diagonal": links,
            "none_600": {"bleu_fall": fixed, "bleu": 50.0},
            "bahdanau_600": {"bleu_fall": attending, "bleu": 90.0, **links},
        },
    )
    found = {claim.id: claim for claim in experiments.claims(record)}
    assert (found["01.1a"].verdict, found["01.1b"].verdict) == verdicts
    assert "50.0 BLEU" in found["01.1a"].measured and "4 to 7" in found["01.1a"].measured
    assert found["01.2a"].values == (0.0, 0.0, 0.0)
    assert found["01.2a"].verdict == Verdict.FAILS
    assert found["01.2b"].verdict == Verdict.HOLDS


@pytest.mark.parametrize("name", sorted(NAMES))
def test_an_experiment_has_presets_and_distinct_variants(name: str):
    experiment = experiments.experiment(name)
    assert experiment.name == name
    large = {"multi30k", "multi30k-gpu"} if name == "decoding" else {"recorded", "full"}
    assert {"tiny", "laptop"} | large <= set(experiment.presets)
    for config in experiment.presets.values():
        found = list(experiment.variants(config))
        assert len(set(found)) == len(found)
        assert not any("." in variant or "/" in variant for variant in found)


def test_weights_are_rounded_and_small_enough_to_ship():
    weights = torch.rand(3, 5, generator=torch.Generator().manual_seed(1))
    kept = attention.keep_examples([PAIR], [weights])["0/weights"]
    np.testing.assert_array_equal(kept, kept.round(4))
