"""A bed can be asked and says nothing else; its answers are those of the patient."""

import traceback

import pytest
import torch

from bottomup.exercises.ward import WORDS, Bed
from bottomup.experiments.clinic import readings
from bottomup.experiments.clinic.config import Config
from bottomup.experiments.clinic.diseases import PIPELINES
from bottomup.experiments.clinic.patient import Chart, Patient
from bottomup.experiments.clinic.signs import READINGS
from bottomup.experiments.clinic.training import sentences

CONFIG = Config(d_model=8, d_ff=7, sentences=40, beams=1, tested=5, few=7)
DISEASE = "heads reshaped"
PAIRS = [("cab", "bac"), ("hidaebfc", "cfbeadih")]


@pytest.fixture(scope="module")
def patient() -> Patient:
    torch.manual_seed(0)
    pipeline = PIPELINES[DISEASE]
    network = pipeline.build(CONFIG.network)
    chart = Chart((3.0, 2.5), (1.5, 0.5), (0.1, 0.2), 0.3)
    return Patient(CONFIG, pipeline, network, chart, *sentences(CONFIG, pipeline, 0))


@pytest.fixture
def bed(patient: Patient) -> Bed:
    return Bed("bed 3", patient)


def test_the_chart_can_be_read(bed: Bed):
    assert (bed.loss, bed.gradient_norm, bed.rate) == ((3.0, 2.5), (1.5, 0.5), (0.1, 0.2))
    assert bed.reported > 0
    assert len(bed.test_sentences) == 5
    assert len(bed.training_sentences) == 7
    assert all(target == source[::-1] for source, target in bed.training_sentences)


def test_letters_stand_for_token_numbers(bed: Bed, patient: Patient):
    numbers = [([6, 4, 5], [5, 4, 6])]
    assert [WORDS[n] for n in numbers[0][0]] == ["c", "a", "b"]
    for training in (False, True):
        torch.manual_seed(2)
        got = bed.log_probabilities(PAIRS[:1], training=training)
        torch.manual_seed(2)
        expected = patient.log_probabilities(numbers, training=training)
        assert torch.equal(got, expected)
        assert got.shape == (1, 4, len(WORDS))
    written = patient.greedy([numbers[0][0]])[0]
    letters = "".join(WORDS[n] if len(WORDS[n]) == 1 else "\N{MIDDLE DOT}" for n in written)
    assert bed.greedy(["cab"]) == [letters]
    assert [p for _, p in bed.beam("cab")] == [p for _, p in patient.beam(numbers[0][0])]


def test_weights_have_a_field_for_each_attention(bed: Bed):
    found = bed.weights(PAIRS)
    assert found.encoder.shape == (2, 2, 9, 9)
    assert found.decoder.shape == (2, 2, 9, 9)
    assert found.cross.shape == (2, 2, 9, 9)


def test_a_reading_is_the_same_each_time(bed: Bed, patient: Patient):
    assert bed.read("row sums") == readings.row_sums(patient)
    restless = PIPELINES["dropout on in evaluation"]
    known = patient.training_sentences, patient.test_sentences
    ill = Bed("bed 4", Patient(CONFIG, restless, patient.network, patient.chart, *known))
    assert ill.read("asked twice") == ill.read("asked twice") > 0
    assert set(READINGS) >= {"asked twice", "row sums"}


def test_a_bed_has_no_other_attributes(bed: Bed):
    for name in ("_curtain", "__dict__", "__slots__", "__reduce__", "network", "pipeline"):
        with pytest.raises(AttributeError):
            getattr(bed, name)
    with pytest.raises(TypeError):
        vars(bed)
    said = f"{bed} {bed!r} {dir(bed)}".lower()
    assert repr(bed) == "<bed 3>"
    assert "reshaped" not in said


def test_an_error_comes_without_the_frames_that_name_the_disease(bed: Bed):
    with pytest.raises(Exception, match="at least one token") as caught:
        bed.greedy([""])
    assert "diseases" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("word", ["xyz", "Cab", 7])
def test_other_letters_are_refused(bed: Bed, word: object):
    with pytest.raises(ValueError, match="letters abcdefghij"):
        bed.greedy([word])


def test_an_interrupt_comes_without_these_frames_too(patient: Patient, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Patient, "greedy", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        Bed("bed 3", patient).greedy(["cab"])
    assert "interrupted" not in "".join(traceback.format_exception(caught.value))


def test_one_word_is_no_list_of_words(bed: Bed):
    with pytest.raises(ValueError, match="sources: expected a list of words, got 'cab'"):
        bed.greedy("cab")
    for ask in (bed.log_probabilities, bed.weights):
        with pytest.raises(ValueError, match="pairs: expected a list of pairs"):
            ask(("ab", "ba"))


def test_an_unknown_reading_is_named(bed: Bed):
    with pytest.raises(ValueError, match="reading: expected one of 'loss at the start'.*'rows'"):
        bed.read("rows")
