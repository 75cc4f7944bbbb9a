"""Drawings of chapter 12: they show what the records and the published weights say."""

import re

import pytest
import torch

from bottomup import results
from bottomup.drawings import pretrained as drawings
from bottomup.models import pretrained_encoder
from bottomup.results.pretrained import who_is_it
from tests.drawings.words import written


@pytest.fixture(scope="module")
def model():
    try:
        return pretrained_encoder()
    except FileNotFoundError:
        pytest.skip("the published weights are not installed")


def claim(name: str) -> str:
    return next(each.verdict for each in results.ledger() if each.id == name)


def test_names_are_cut_as_the_published_list_cuts_them(model):
    assert {name: tuple(model.pieces.cut(name)) for name in drawings.PIECES} == drawings.PIECES


def test_it_gives_the_weights_that_the_published_head_gives(model):
    looks = who_is_it()
    for end, words, shown in zip(drawings.ENDS, looks.words, looks.weights, strict=True):
        tokens = torch.tensor([model.pieces.encode(f"{drawings.TOLD} {end}.")])
        weights = model.encoder(tokens, need_weights=True).weights[3][0, 1, words.index("it")]
        torch.testing.assert_close(weights, torch.tensor(shown), atol=1e-3, rtol=0)


def test_each_name_of_the_file_leads_to_one_part_of_the_layer():
    canvas = drawings.file_and_layer().panels[0]
    assert canvas.svg.count('class="box second"') == canvas.svg.count('class="box lit"') == 8
    assert canvas.svg.count('class="line"') == 8 + 2  # two brackets
    assert [word for word in canvas.words if word.startswith("$")] == [
        f"$W_{{{name}}}$" for name in ("Q", "K", "V", "O", "in", "out")
    ]


def test_layers_find_more_professions_of_well_known_people():
    assert (claim("12.2c"), claim("12.2f")) == ("undecided", "holds")
    shares = [word for word in written(drawings.professions()) if re.fullmatch(r"\d+%", word)]
    assert shares == ["65%", "90%", "34%", "36%"]


def test_the_last_name_says_most_and_each_layer_has_two_steps():
    drawn = drawings.joined()
    assert "says, 0.12, 0.18, 0.16;" in drawn.says
    for look in drawings.KINDS:
        assert drawn.panels[0].svg.count(f'class="line {look}"') == 3 * 6


def test_one_frozen_head_takes_the_person_away():
    drawn = drawings.frozen()
    assert "With head 5 of layer 1 frozen, 9% of the person is left." in drawn.says
    assert written(drawn).count("9%") == 1


def test_no_opposites_point_in_opposite_directions():
    assert claim("12.5a") == "holds"
    svg = drawings.opposites().panels[0].svg
    places = [float(x) for x in re.findall(r'<circle[^>]* cx="([\d.]+)"', svg)]
    assert len(places) == 25
    assert min(places) > 180 and max(places) < 180 + 150 * 0.6


def test_dots_of_opposites_do_not_cover_each_other():
    svg = drawings.opposites().panels[0].svg
    dots = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg)]
    apart = [(a - x) ** 2 + (b - y) ** 2 for n, (a, b) in enumerate(dots) for x, y in dots[:n]]
    assert min(apart) > 49


def test_the_last_layer_changes_the_most():
    assert claim("12.6a") == "holds"
    values = [float(word) for word in written(drawings.changes()) if "." in word]
    assert values == [0.10, 0.13, 0.13, 0.15, 0.22, 0.34]


def test_neighbours_and_paraphrases_are_those_of_the_record():
    drawn = drawings.neighbours()
    assert "4% at the embedding, 18% after layer 3, 11% after layer 6" in drawn.says
    assert claim("12.6c") == claim("12.6d") == "holds"
    assert "After layer 6 it is 38%." in drawings.paraphrases().says


def test_the_begin_mark_gets_more_than_words_in_four_layers():
    lengths = [int(word) for word in written(drawings.begin_mark()) if word.isdigit()]
    pairs = list(zip(lengths[1::3], lengths[2::3], strict=True))  # behind the number of a layer
    assert [mark > words for mark, words in pairs] == [True] * 4 + [False] * 2
