"""Drawings of chapter 06: the tree by hand, and the scores of four rewordings."""

import pytest

from bottomup.drawings import decoding
from bottomup.drawings import decoding_by_hand as by_hand
from bottomup.drawings.decoding_by_hand import BEFORE, END, RIGHT, WAYS, beam, following

EMPTY = (END,)


def test_the_sentences_of_the_tree_have_all_the_probability():
    every = by_hand.sentences()
    assert len(every) == 9
    assert sum(map(by_hand.probability, every)) == pytest.approx(1)
    assert all(sum(after.values()) == pytest.approx(1) for after in by_hand.TREE.values())


def test_the_empty_sentence_is_the_most_probable_and_the_right_one_the_next():
    best = sorted(by_hand.sentences(), key=by_hand.probability, reverse=True)
    assert best[:2] == [EMPTY, RIGHT]
    assert [round(by_hand.probability(path), 3) for path in best[:2]] == [0.2, 0.162]


def test_greedy_decoding_leaves_the_right_sentence():
    assert by_hand.greedy() == ("it", "ate", "meat", END)
    assert by_hand.greedy(("the",)) == RIGHT
    assert by_hand.greedy_taken().says.startswith("It takes the most probable token")


@pytest.mark.parametrize("size, says", [(1, by_hand.greedy()), (2, RIGHT), (3, EMPTY)])
def test_what_a_beam_finds(size, says):
    assert max(beam(size)[-1][1], key=by_hand.probability) == says


def test_after_two_steps_the_right_beginning_is_ahead():
    assert beam(2)[1] == ([("the", "cat"), ("it", "ate")], [])
    assert beam(2)[3] == ([RIGHT[:4]], [("it", "ate", "meat", END)])


def test_top_k_and_top_p_differ_where_the_translator_is_sure():
    left = {
        way: [
            sum(p > 0 for p in by_hand.drawn_from(way, list(following(before).values())))
            for before in BEFORE
        ]
        for way in WAYS
    }
    assert list(left.values()) == [[3, 2], [3, 2], [2, 2], [2, 1]]


def test_the_penalty_brings_the_right_sentence_back():
    assert by_hand.crossing() == pytest.approx(0.203, abs=1e-3)


def test_the_twin_scores_above_a_right_rewording():
    assert [round(score) for score in by_hand.scores().values()] == [86, 75, 45, 43]
    shown = [word for panel in by_hand.four_scores_open().panels for word in panel.words]
    assert shown.count("?") == 4 * 4 and "86" not in shown


def test_without_a_penalty_wider_beams_score_less():
    plain, penalised = decoding.by_width("0"), decoding.by_width("1")
    assert max(plain, key=plain.__getitem__) == 2
    assert plain[1] > plain[50] and penalised[50] == pytest.approx(penalised[2], abs=0.5)


def test_a_row_writes_when_its_prefix_is_over():
    padded, columns = decoding.ragged_prefixes().panels
    assert padded.words.count("pad") == 3
    assert columns.words[-5:] == ["cat", "ate", "the", "meat", END]
