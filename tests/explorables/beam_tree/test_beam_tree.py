"""What the figure of a beam search takes, what it keeps of a trace, and how it refuses the rest."""

import gzip
import json
import math
import re
from dataclasses import replace

import pytest
import torch

from bottomup.data import BOS, EOS
from bottomup.decoding import beam_search, gnmt_penalty
from bottomup.explorables import beam_tree
from tests.decoding.markov import Markov, random_table, source_of
from tests.explorables.beam_demo import BEAM, LARGEST, RESULTS, SOURCE, WIDE, WORDS, dogs, search

DROPPED, KEPT, ENDED, LEFT, CUT, DROPPED_END = range(6)


def payload(results=RESULTS, **changes) -> dict:
    options = {"source": SOURCE, "target_words": WORDS, "max_length": LARGEST, **changes}
    return json.loads(beam_tree(results, **options).data)


def tree(made: dict, index: int) -> list[list[tuple]]:
    """Each step's candidates with their words: parent, rank, word, millionths, state."""
    words = made["words"]
    return [
        [(parent, rank, words[word], log_p, state) for parent, rank, word, log_p, state in step]
        for step in made["trees"][index]["steps"]
    ]


def millionths(*probabilities: float) -> int:
    return round(1e6 * sum(math.log(one) for one in probabilities))


def rows(table: str) -> list[list[str]]:
    """What stands in each row of the table: the sequence and the cells."""
    found = re.findall(r'<th scope="row"[^>]*>(.*?)</th>(.*?)</tr>', table)
    return [[name, *re.findall(r"<td[^>]*>(.*?)</td>", cells)] for name, cells in found]


def test_the_tree_of_a_beam_of_two_by_hand():
    steps = tree(payload(), 1)
    assert steps[0] == [
        (0, 0, "der", millionths(0.5), KEPT),
        (0, 1, "ein", millionths(0.4), KEPT),
        (0, 2, "Hund", millionths(0.1), DROPPED),
    ]
    assert steps[1] == [
        (1, 0, "Hund", millionths(0.4, 0.9), KEPT),
        (0, 1, "Hund", millionths(0.5, 0.45), KEPT),
        (0, 2, "Straßenhund", millionths(0.5, 0.35), DROPPED),
        (0, 3, "Garten", millionths(0.5, 0.2), DROPPED),
    ]
    dog = (0.4, 0.9, 0.85)
    assert steps[3][:2] == [
        (0, 0, ".", millionths(*dog, 0.48), KEPT),
        (0, 1, "laut", millionths(*dog, 0.42), KEPT),
    ]
    assert steps[4][:2] == [
        (0, 0, "<eos>", millionths(*dog, 0.48, 0.95), ENDED),
        (1, 1, ".", millionths(*dog, 0.42, 0.95), KEPT),
    ]


def test_a_beam_of_one_is_a_path():
    steps = tree(payload(), 0)
    assert [[state for *_, state in step if state == KEPT] for step in steps[:-1]] == [[KEPT]] * 5
    assert [step[0][2] for step in steps[:5]] == ["der", "Hund", "bellt", ".", "<eos>"]


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("alpha", [0, 0.6, 1.0, 1.5])
def test_table_lists_what_a_search_with_this_alpha_finds(alpha, width):
    table = beam_tree(
        RESULTS, source=SOURCE, target_words=WORDS, max_length=LARGEST, alpha=alpha
    ).fallback
    found = [row for row in rows(table) if row[1] == str(width)]
    expected = beam_search(
        dogs(), *source_of([5]), beam=width, max_length=LARGEST, length_penalty=alpha, n_best=width
    )
    sequences = expected.to_lists()[0]
    for place, tokens in enumerate(sequences):
        name, _, number, length, total, penalty, score = found[place]
        n = len(tokens) + 1
        assert name == " ".join(WORDS[token] for token in tokens)
        assert (number, length) == (str(place + 1), str(n))
        exact = [expected.log_probabilities[0, place].item(), gnmt_penalty(n, alpha),
                 expected.scores[0, place].item()]  # fmt: skip
        assert [total, penalty, score] == [f"{one:.4f}".replace("-", "−") for one in exact]
    assert 1 <= len(sequences) <= len(found)


def test_alpha_changes_the_best_and_no_tree():
    made = [payload(alpha=alpha) for alpha in (0, 1.5)]
    assert made[0]["trees"] == made[1]["trees"]
    assert [one["start"]["alpha"] for one in made] == [0, 15]
    best = [
        rows(beam_tree({4: RESULTS[4]}, source=SOURCE, target_words=WORDS,
                       max_length=LARGEST, alpha=alpha).fallback)[0][0]
        for alpha in (0.9, 1.0)
    ]  # fmt: skip
    assert best == ["ein Hund bellt .", "ein Hund bellt laut ."]


def test_prefixes_at_the_end_are_left_or_cut_off():
    model = Markov(random_table(7, 3), varied=True)
    stopped = search(model, 2, max_length=30, length_penalty=0, n_best=1)
    cut = search(model, 2, max_length=2, n_best=2)
    words = [str(number) for number in range(7)]
    for decoded, max_length, state in [(stopped, 30, LEFT), (cut, 2, CUT)]:
        made = payload({2: decoded}, target_words=words, max_length=max_length)
        steps = tree(made, 0)
        assert len(steps) == len(decoded.steps)
        states = [{one[4] for one in step} for step in steps]
        assert state in states[-1] and KEPT not in states[-1]
        assert all(states[index].isdisjoint({LEFT, CUT}) for index in range(len(states) - 1))


def test_an_end_below_the_best_is_dropped_as_an_end():
    table = torch.tensor([[0.0, 0.0, 1.0, 3.0, 2.0]] * 5).double()
    decoded = search(Markov(table), 2, max_length=3)
    steps = tree(payload({2: decoded}, target_words=list("pbeux"), max_length=3), 0)
    found = [(word, state) for _, _, word, _, state in steps[0]]
    assert found == [("u", KEPT), ("x", KEPT), ("e", DROPPED_END)]


def test_what_is_impossible_is_left_out_and_parents_stay_right():
    table = torch.full((6, 6), -math.inf, dtype=torch.float64)
    table[BOS, 4], table[4, 5], table[4, EOS] = 0.0, math.log(0.7), math.log(0.3)
    table[5, EOS] = 0.0
    table[[0, 2, 3], EOS] = 0.0
    decoded = search(Markov(table), 3, max_length=4)
    assert (decoded.steps[0].log_probability == -math.inf).any()
    steps = tree(payload({3: decoded}, target_words=list("pbeuxy"), max_length=4), 0)
    assert steps[:2] == [
        [(0, 0, "x", 0, KEPT)],
        [(0, 0, "y", millionths(0.7), KEPT), (0, 1, "e", millionths(0.3), ENDED)],
    ]
    assert steps[2] == [(0, 0, "e", millionths(0.7), ENDED)]


def test_words_are_held_once_and_only_those_that_occur():
    words = payload()["words"]
    assert len(words) == len(set(words))
    assert set(words) <= {*WORDS}
    assert not {"<pad>", "<unk>"} & {*words}


def test_start_is_the_widest_beam_or_the_one_chosen():
    assert payload()["start"] == {"alpha": 6, "tree": 2}
    assert payload(beam=2)["start"] == {"alpha": 6, "tree": 1}


def test_a_wide_and_long_search_stays_light():
    assert len(WIDE.data) < 20_000
    assert len(WIDE._repr_html_()) < 60_000
    assert len(gzip.compress(BEAM._repr_html_().encode())) < 15_000


ONE = RESULTS[2]
TWO_SENTENCES = beam_search(
    dogs(), *source_of([5], [6]), beam=2, max_length=LARGEST, n_best=2, trace=True
)


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"results": [ONE]}, TypeError, "results: expected a mapping from names, got list"),
        ({"results": {}}, ValueError, "results: expected 1 to 5, got 0"),
        ({"results": {7: ONE}}, ValueError, "results: expected a beam of at most 6, got 7"),
        ({"results": {0: ONE}}, ValueError, "a beam's width: expected an integer of at least 1"),
        ({"results": {"2": ONE}}, TypeError, "a beam's width: expected an integer, got '2'"),
        ({"results": {2: "tree"}}, TypeError, r"results\[2\]: expected a BeamDecoded, got str"),
        (
            {"results": {2: replace(ONE, steps=None)}},
            ValueError,
            r"results\[2\]: expected a trace, as beam_search\(..., trace=True\)",
        ),
        ({"results": {2: TWO_SENTENCES}}, ValueError, r"\[2\]: expected one sentence, got 2"),
        ({"results": {3: ONE}}, ValueError, r"results\[3\]: .* trace of a beam of 3, got one of 2"),
        ({"results": {1: ONE}}, ValueError, r"results\[1\]: .* trace of a beam of 1, got one of 2"),
        ({"max_length": 4}, ValueError, r"results\[2\].steps: expected 1 to 4, got"),
        (
            {"results": {2: replace(ONE, steps=ONE.steps[:1] * 41)}, "max_length": 50},
            ValueError,
            "expected 1 to 40, got 41",
        ),
        ({"max_length": 0}, ValueError, "max_length: expected an integer of at least 1, got 0"),
        ({"source": ["a", "dog"]}, TypeError, r"source: expected a string, got \['a', 'dog'\]"),
        ({"target_words": "words"}, TypeError, "target_words: expected a list of strings"),
        ({"target_words": WORDS[:5]}, ValueError, "target_words: .* got 5 words and the token 5"),
        ({"target_words": [*WORDS[:4], "d" * 27, *WORDS[5:]]}, ValueError, r"\[4\]: .* 26 letters"),
        ({"target_words": [*WORDS[:4], 3, *WORDS[5:]]}, TypeError, "list of strings, got 3 in it"),
        ({"alpha": 1.6}, ValueError, "alpha: expected a number >= 0.0 and <= 1.5, got 1.6"),
        ({"alpha": 0.25}, ValueError, "alpha: expected a multiple of 0.1, got 0.25"),
        ({"alpha": "0.6"}, TypeError, "alpha: expected a number, got '0.6'"),
        ({"beam": 5}, ValueError, "beam: expected one of 2, got 5"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_by_name(changes, error, message):
    options = {"results": {2: ONE}, **changes}
    with pytest.raises(error, match=message):
        payload(**options)
