"""What chapter 12's figures show: made of the model, whole, and as light as it is stored."""

import numpy as np
import pytest
import torch

from bottomup.analysis import with_ones
from bottomup.experiments.pretrained import derived
from bottomup.experiments.pretrained.head_words import SPOKEN_OF, head_words
from bottomup.experiments.pretrained.heads import Dictionary
from bottomup.experiments.pretrained.opened import Opened, opened
from bottomup.models import pretrained_folder
from bottomup.results.pretrained import head_answers, name_scores

INSTALLED = pytest.mark.skipif(
    pretrained_folder() is None, reason="all-MiniLM-L6-v2 is not installed"
)


@pytest.fixture(scope="module")
def small() -> Opened:
    return opened(trained=False)


def test_scores_of_words_are_those_of_the_query_key_map(small: Opened):
    known = head_words(small)
    assert {"jordan", "king", "meat"} <= {*known.words}
    assert len({*known.words}) == len(known.words)
    dictionary = Dictionary(small, derived.HEAD)
    numbers = [small.pieces.numbers[word] for word in known.words]
    first, second = (states[numbers] for states in dictionary.at)
    torch.testing.assert_close(known.scores, second @ dictionary.map @ first.T)
    assert torch.equal(first, with_ones(first[:, :-1]))


def test_a_board_has_three_people_of_each_profession(small: Opened):
    found = derived.board(small)
    people = np.array(found["people"])
    assert np.bincount(people[:, 2]).tolist() == [3] * 8
    stations = 1 + 2 * len(small.encoder.layers)
    assert found["intact"].shape == (len(found["first"]), len(found["last"]), stations, 8)
    assert min(found["intact"].min(), found["frozen"].min()) == 0
    # The head reads in layer 1: what comes before it stays.
    assert (found["intact"][:, :, 0] == found["frozen"][:, :, 0]).all()


def test_what_is_stored_is_whole():
    scores, answers = name_scores(), head_answers()
    names = [f"{scores.first[a]} {scores.last[b]}" for a, b, _ in scores.people]
    assert len({*names}) == 24 and "Stephen King" in names
    assert np.abs(scores.intact).max() < 1 and np.abs(scores.frozen).max() < 1
    assert scores.intact.shape == (22, 23, 13, 8)
    assert len(answers.answers) == 200 and {*SPOKEN_OF} <= {*answers.answers}
    for ways in answers.answers.values():
        assert [len({other for other, _ in way}) for way in ways] == [8, 8]
    with np.load(derived.FILE) as stored:
        assert stored["notice"] == derived.NOTICE == scores.notice == answers.notice


@pytest.mark.slow
@INSTALLED
def test_the_model_gives_what_is_stored():
    with np.load(derived.FILE) as stored:
        for name, made in derived.derived(opened(trained=True)).items():
            if np.asarray(made).dtype.kind in "iu":  # rounding differs on other machines
                assert np.abs(np.asarray(made).astype(int) - stored[name]).max() <= 1, name
            elif name != "dictionary_answers":  # whose order may turn where two are equal
                assert np.asarray(made).tolist() == stored[name].tolist(), name
