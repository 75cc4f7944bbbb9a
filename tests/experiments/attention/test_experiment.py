"""Chapter 01's experiments."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from bottomup.data import SequenceTask
from bottomup.data.minilang import Link, SentencePair
from bottomup.experiments import Record, experiment
from bottomup.experiments.attention.examples import examples, find_examples
from bottomup.experiments.engine.record import to_json
from bottomup.experiments.shared.links import agreement, diagonal, main_verb
from tests.experiments.tiny import tiny_run

PAIR = SentencePair(
    source=("farmers", "read", "books", "."),
    target=("농부", "-들", "-은", "책", "-을", "읽", "-느", "-다", "."),
    links=(
        Link(0, 0, True), Link(1, 0, False), Link(2, 0, False), Link(3, 2, True),
        Link(4, 2, False), Link(5, 1, True), Link(6, 1, False), Link(7, 1, False),
        Link(8, 3, False),
    ),
)  # fmt: skip


NAME = "attention"


def test_a_fall_is_what_short_sentences_are_ahead_of_long_ones(tiny: Record):
    short, long = (tiny.metric(f"none_24.bleu_by_length.{n}") for n in ("4-9", "10-20"))
    fall = tiny.metric("none_24.bleu_fall")
    assert fall == pytest.approx([short[0] - long[0]], abs=2e-6)
    record = tiny_run("attention_reversal")
    (accuracy,) = record.metric("bahdanau_12.accuracy")
    for name, one, other in (("inside", "3", "5"), ("beyond", "5", "7")):
        fall = record.metric(f"bahdanau_12.fall_{name}")
        assert fall == pytest.approx([accuracy[one] - accuracy[other]], abs=2e-6)


def test_sentences_are_kept_with_the_weights_of_every_kind(tiny: Record):
    first, _second = examples(tiny)
    assert set(first.weights) == {"bahdanau", "dot", "general", "concat"}
    for weights in first.weights.values():
        assert weights.shape == (len(first.target), len(first.source))
        assert (weights >= 0).all() and (weights.sum(axis=1) < 1.001).all()
    assert len(first.glosses) == len(first.romanised) == len(first.target_classes)
    assert "the" in first.source and first.source_classes[first.source.index("the")] == "function"
    assert any(sure for _target, _source, sure in first.links)
    with pytest.raises(LookupError, match="keeps no sentences"):
        examples(replace(tiny, arrays={}))


@pytest.mark.slow
def test_trainings_that_are_interrupted_or_parallel_give_the_same_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruptible: None
):
    step, calls, asked = SequenceTask.__call__, 0, experiment("attention_reversal")

    def run(**options: object) -> dict:
        record = asked.run(asked.preset("tiny"), (0, 1), "cpu", **options)
        content = json.loads(to_json(record))
        del content["seconds"]
        return content

    def stop_once(task: SequenceTask, number: int) -> object:
        nonlocal calls
        calls += 1
        if calls == 17:  # in the second variant
            signal.raise_signal(signal.SIGINT)
        return step(task, number)

    expected = run(jobs=2)  # processes of their own, which count no calls
    monkeypatch.setattr(SequenceTask, "__call__", stop_once)
    with pytest.raises(KeyboardInterrupt):
        run(out=tmp_path)
    left = {path.name for path in (tmp_path / "units").iterdir()}
    assert left == {"none_12-0.json", "none_12-0.npz", "bahdanau_12-0.pt"}
    assert run(out=tmp_path) == expected
    assert calls == 6 * 12  # no step of the training was taken twice


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
