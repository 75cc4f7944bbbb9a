"""Drawings of chapter 11: what they write is what the record and the patients say."""

import re
from math import exp

import pytest
import torch

from bottomup.data import make_batch, minilang
from bottomup.decoding import greedy
from bottomup.drawings import clinic, clinic_bed_4
from bottomup.exercises.ward import bed, twin
from bottomup.exercises.ward.diagnosis import recorded as signs_of_the_record
from bottomup.experiments.clinic.attention import HeadsReshaped
from bottomup.experiments.clinic.diseases import PIPELINES
from bottomup.experiments.clinic.signs import READINGS
from bottomup.results.translator import translator
from tests.drawings.words import written

PATIENTS = ("twin", "bed 4")


def patient(name: str):
    return twin() if name == "twin" else bed(int(name.split()[1]))


def test_every_disease_has_its_station_and_its_loss():
    at_stations = {each for _, diseases in clinic.STATIONS for each in diseases}
    known = {clinic.as_drawn(disease) for disease in PIPELINES} - {"healthy"}
    assert at_stations == known
    words = written(clinic.losses())
    assert known | {"healthy"} <= set(words)
    assert [row[1] for row in clinic.ends()] == sorted(row[1] for row in clinic.ends())


def test_the_lowest_losses_belong_to_pipelines_that_write_nothing_rightly():
    assert [right for _disease, _loss, right in clinic.ends()[:2]] == [0, 0]


def test_the_table_has_each_sign_of_the_record():
    words = written(clinic.signs())
    found = [sign for shows in signs_of_the_record().values() for sign in shows.values()]
    for sign, mark in ((1, "+"), (-1, clinic.MINUS), (None, "?")):
        assert words.count(mark) == found.count(sign)
    assert set(READINGS) <= set(words)
    assert {clinic.as_drawn(disease) for disease in signs_of_the_record()} <= set(words)


def test_one_network_gets_better_alone_and_the_other_worse():
    (_, attended), (_, forgotten) = clinic.masks()
    assert attended < -0.2 and forgotten > 0.2
    assert {"\N{MINUS SIGN}75", "+66"} <= set(written(clinic.two_masks()))


@pytest.mark.parametrize("places", [3, 5])
def test_a_reshape_gives_a_head_these_numbers(places):
    layer = HeadsReshaped(4, 2)
    rows = torch.arange(4.0 * places).view(1, places, 4)
    heads = layer.split(rows)[0]  # [head, place, number]
    cut = torch.tensor(clinic.cut(places, right=False)).flatten()
    for head in range(2):
        assert heads[head].flatten().tolist() == rows.flatten()[cut == head].tolist()
    right = torch.tensor(clinic.cut(places, right=True))
    assert (right == torch.tensor([0, 0, 1, 1])).all()


def test_what_the_patients_write():
    for name, words in clinic_bed_4.WRITTEN.items():
        assert tuple(patient(name).greedy(list(clinic_bed_4.SOURCES))) == words


@pytest.mark.parametrize("name", PATIENTS)
def test_a_neighbour_moves_as_much(name):
    short, long = ((word, word[::-1]) for word in clinic_bed_4.SOURCES)
    (alone,) = patient(name).log_probabilities([short])
    beside, _ = patient(name).log_probabilities([short, long])
    moved = (alone - beside[: len(alone)]).abs().max().item()
    assert moved == pytest.approx(clinic_bed_4.BESIDE[name], abs=0.1)


@pytest.mark.parametrize("name", PATIENTS)
def test_a_changed_letter_moves_as_much(name):
    source, at = clinic_bed_4.SOURCES[1], clinic_bed_4.PLACE
    one, other = clinic_bed_4.TARGET, clinic_bed_4.CHANGED
    assert [n for n in range(len(one)) if one[n] != other[n]] == [at]
    (before,), (after,) = (patient(name).log_probabilities([(source, t)]) for t in (one, other))
    moved = (before - after).abs().amax(dim=-1)[:6].tolist()
    assert moved == pytest.approx(clinic_bed_4.MOVED[name], abs=0.02)


@pytest.mark.parametrize("name", PATIENTS)
def test_the_rows_of_weights_sum_to_as_much(name):
    pair = clinic_bed_4.SOURCES[1], clinic_bed_4.TARGET
    sums = patient(name).weights([pair]).decoder[0, 0].sum(dim=-1)[:6].tolist()
    assert sums == pytest.approx(clinic_bed_4.SUMS[name], abs=0.01)


def test_the_mask_before_and_after_by_hand():
    before, after = clinic_bed_4.by_hand().values()
    powers = [exp(score) for score in clinic_bed_4.SCORES]
    assert sum(before) == pytest.approx(1)
    assert sum(after) == pytest.approx(sum(powers[:2]) / sum(powers))
    assert {"37%"} <= set(written(clinic_bed_4.two_orders()))


def test_each_question_leaves_fewer_diseases_and_the_last_one():
    assert [len(clinic_bed_4.left(n)) for n in range(5)] == [15, 14, 4, 2, 1]
    for reading, outcome in (each[-1] for each in clinic_bed_4.ASKED):
        assert READINGS[reading].outcome(bed(4).read(reading)) == outcome
    assert clinic_bed_4.left(4) == ["mask after softmax"]


def test_the_drawings_name_what_is_left():
    for number, draw in enumerate(
        (
            clinic_bed_4.asked_twice,
            clinic_bed_4.asked_in_a_batch,
            clinic_bed_4.asked_about_the_future,
            clinic_bed_4.examined,
        ),
        start=1,
    ):
        rest = clinic_bed_4.left(number)
        said = draw().says.rsplit(": ", 1)[1]
        assert said == (", ".join(rest) + "." if len(rest) < 5 else f"{len(rest)} of 15.")
        counts = [word for word in written(draw()) if re.fullmatch(r"\d+", word)]
        assert counts[-1] == str(len(rest))


@pytest.mark.slow
def test_the_translator_gets_as_many_right():
    english, pairs = translator(), minilang.load(4_000, seed=1).test
    batch = make_batch([(english.source_words.encode(pair.source), []) for pair in pairs])
    shares = []
    for mask in (batch.source_mask, torch.ones_like(batch.source_mask)):
        found = greedy(english.model, batch.source, mask, max_length=40).to_lists()
        right = [
            english.target_tokens.decode(row) == list(pair.target)
            for row, pair in zip(found, pairs, strict=True)
        ]
        shares.append(sum(right) / len(right))
    assert shares == pytest.approx(list(clinic.TRANSLATED.values()), abs=0.02)
