"""Every number of the sentence that is worked by hand, as the chapters print it."""

from math import exp

import pytest
import torch
from torch import Tensor

from bottomup.attention import scaled_dot_product_attention
from bottomup.data import by_hand
from bottomup.data.by_hand import EARLY, FIRST, LATE, SECOND, Head, rows, sentence
from bottomup.masks import causal_mask

CAT, ATE, MEAT, IT, HUNGRY = range(5)
LAST = pytest.mark.parametrize(
    ("last", "found", "other"), [("hungry", CAT, MEAT), ("fresh", MEAT, CAT)]
)


def close(actual: Tensor, expected: object, digits: int = 2) -> None:
    """Compare with numbers that are rounded to some digits."""
    wanted = torch.tensor(expected, dtype=actual.dtype)
    torch.testing.assert_close(actual, wanted, rtol=0, atol=0.5 * 10**-digits + 1e-6)


def look(head: Head, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return what each word takes, and its weights."""
    query, key, value = (x @ part.T for part in head)
    return scaled_dot_product_attention(query, key, value, mask)


def scores(head: Head, x: Tensor) -> Tensor:
    return (x @ head.query.T) @ (x @ head.key.T).T


def after(layers: int, last: str) -> Tensor:
    """Return the rows after some layers, each adding what the words take."""
    x = sentence(last)
    for head in (FIRST, SECOND)[:layers]:
        x = x + look(head, x)[0]
    return x


# ---- 00


def test_a_dot_product_and_its_shares_by_hand() -> None:
    hungry, cat, ate, meat, it = rows("hungry", "cat", "ate", "meat", "it")
    found = torch.stack([hungry @ word for word in (cat, ate, meat)])
    assert found.tolist() == [2, 0, 0]
    close(found.softmax(0), [exp(2) / (exp(2) + 2), 1 / (exp(2) + 2), 1 / (exp(2) + 2)], 6)
    close(found.softmax(0), [0.79, 0.11, 0.11])
    torch.testing.assert_close((found + 1_000).softmax(0), found.softmax(0))
    of_it = torch.stack([it @ word for word in (cat, ate, meat)])
    assert (of_it / of_it.sum()).isnan().all()
    close(of_it.softmax(0), [1 / 3] * 3, 6)


# ---- 02


def test_four_of_five_rows_are_the_same_in_both_sentences() -> None:
    same = (sentence("hungry") == sentence("fresh")).all(dim=1)
    assert same.tolist() == [True, True, True, True, False]
    assert sentence()[IT].tolist() == [0, 0, 0, 0, 2]


def test_compared_as_they_are_every_word_finds_itself() -> None:
    x = sentence()
    found = x @ x.T
    assert found.diagonal().tolist() == [4, 4, 4, 4, 5]
    assert torch.equal(found, found.T) and found.argmax(dim=1).tolist() == [0, 1, 2, 3, 4]
    close(found.softmax(-1)[IT], [0.02, 0.02, 0.02, 0.93, 0.02])


@LAST
def test_it_asks_for_a_state(last: str, found: int, other: int) -> None:
    x = sentence(last)
    assert (x @ FIRST.query.T)[IT].tolist() == [0, 0, 0, 4]
    kind = [1.0, 0.0] if last == "hungry" else [0.0, 1.0]
    assert (x @ FIRST.key.T)[HUNGRY].tolist() == [*kind, 0, 2]
    asked = scores(FIRST, x)
    assert (asked[IT, HUNGRY], asked[HUNGRY, IT]) == (8, 0)
    assert asked[ATE].tolist() == [8, 0, 8, 0, 4]


@LAST
def test_the_first_layer_finds_the_state_and_takes_its_kind(
    last: str, found: int, other: int
) -> None:
    output, weights = look(FIRST, sentence(last))
    close(weights[IT], [0.02, 0.02, 0.02, 0.02, 0.93])
    close(weights[CAT], [0.2] * 5, 6)  # a word that asks for nothing
    close(output[IT, [found // 2, other // 2]], [0.97, 0.03])
    close(after(1, last)[IT, [found // 2, other // 2]], [0.97, 0.03])


@LAST
def test_the_second_layer_finds_the_noun(last: str, found: int, other: int) -> None:
    weights = look(SECOND, after(1, last))[1][IT]
    close(weights[[found, ATE, other, IT, HUNGRY]], [0.80, 0.04, 0.02, 0.03, 0.12])


def test_what_is_asked_and_offered_in_the_second_layer() -> None:
    x = after(1, "hungry")
    close(x[[CAT, MEAT, HUNGRY], :2], [[2.6, 0.4], [0.6, 2.4], [1.6, 0.4]], 6)
    close((x @ SECOND.query.T)[IT, :2], [3.86, 0.14])
    close(scores(SECOND, x)[IT] / 2, [5.05, 1.96, 1.32, 1.87, 3.12])


def test_one_layer_cannot_tell_the_twins_apart() -> None:
    torch.manual_seed(7)
    for head in (FIRST, Head(torch.randn(4, 5), torch.randn(4, 5), FIRST.value)):
        one, two = (scores(head, sentence(last))[IT, [CAT, MEAT]] for last in by_hand.LAST)
        assert torch.equal(one, two)


def test_with_all_nine_words_the_same_words_win() -> None:
    x = torch.zeros(9, 5)
    x[[1, 2, 4, 6, 8]] = sentence()
    output, first = look(FIRST, x)
    second = look(SECOND, x + output)[1]
    close(torch.stack([first[6, 8], second[6, 1]]), [0.87, 0.68])
    assert second[6].argmax() == 1


def test_under_a_causal_mask_it_finds_nothing() -> None:
    weights = look(FIRST, sentence(), causal_mask(5))[1]
    close(weights[IT], [0.25, 0.25, 0.25, 0.25, 0], 6)
    close(weights[ATE], [0.98, 0.02, 0, 0, 0])
    twin = look(FIRST, sentence("fresh"), causal_mask(5))[1]
    assert torch.equal(weights[:HUNGRY], twin[:HUNGRY])


# ---- 03


ACTIVE = rows("cat", "ate", "meat", "it", "hungry", place=True)
PASSIVE = rows("meat", "ate", "cat", "it", "hungry", place=True)


def test_one_head_forgets_who_ate_whom() -> None:
    whole = [torch.cat([part, torch.zeros(len(part), 1)], dim=1) for part in FIRST]
    one, other = (look(Head(*whole), x)[0][ATE, :2] for x in (ACTIVE, PASSIVE))
    close(one, [0.98, 0.92])
    torch.testing.assert_close(one, other)


def test_two_heads_keep_them_apart_by_place() -> None:
    close(scores(EARLY, ACTIVE)[ATE] / 2, [6, -4, 2, -8, -10], 6)
    close(scores(LATE, ACTIVE)[ATE] / 2, [10, 4, 14, 8, 10], 6)
    found = {
        name: torch.cat([look(head, x)[0][ATE] for head in (EARLY, LATE)])
        for name, x in (("active", ACTIVE), ("passive", PASSIVE))
    }
    close(found["active"], [1.96, 0.04, 0.05, 1.92])
    close(found["passive"], [0.04, 1.96, 1.94, 0.04])
    close(found["active"] @ by_hand.EARLY_LESS_LATE.T, [1.91, -1.89])
    close(found["passive"] @ by_hand.EARLY_LESS_LATE.T, [-1.91, 1.93])
    both = torch.cat([torch.eye(2), torch.eye(2)], dim=1)  # adding forgets it again
    close(found["active"] @ both.T, [2.02, 1.96])
    close(found["passive"] @ both.T, [1.98, 2.00])


def test_the_same_word_on_both_sides_gives_nothing() -> None:
    x = rows("cat", "ate", "cat", place=True)
    found = torch.cat([look(head, x)[0][ATE] for head in (EARLY, LATE)])
    close(found @ by_hand.EARLY_LESS_LATE.T, [0, 0])


# ---- 04


def neurons(x: Tensor) -> Tensor:
    return (x @ by_hand.NEURONS.T + by_hand.BIAS).relu()


def test_the_stream_of_it_is_a_sum() -> None:
    x0, x1, x2 = (after(layers, "hungry") for layers in range(3))
    close(x1[IT] - x0[IT], [0.97, 0.03, 0, 0, 0])
    close(x2[IT] - x1[IT], [2.33, 0.45, 0, 0, 0])
    close(x2[IT], [3.30, 0.48, 0, 0, 2])
    close(torch.stack([x[CAT].norm() for x in (x0, x1, x2)]), [2, 2.63, 5.25])


@LAST
def test_the_neurons_add_a_fact(last: str, found: int, other: int) -> None:
    active = neurons(after(2, last))
    one = found // 2  # of the neuron that asks for the kind of *it*
    close(active[IT, [one, 1 - one]], [0.82, 0])
    fact = active @ by_hand.FACT.T
    close(fact[IT, 2], 0.82 if last == "hungry" else -0.82)
    assert fact[[ATE, HUNGRY]].abs().max() == 0
    assert neurons(sentence(last))[IT].abs().max() == 0  # without the attention
    if last == "hungry":
        close(active[[CAT, MEAT]], [[2.39, 0], [0, 1.59]])


# ---- 05


def cross(x: Tensor) -> tuple[Tensor, Tensor]:
    questions = torch.tensor([*by_hand.QUESTIONS.values()])
    return scaled_dot_product_attention(questions, x @ by_hand.CROSS_KEY.T, x @ FIRST.value.T)


@LAST
def test_five_questions_find_five_words(last: str, found: int, other: int) -> None:
    output, weights = cross(after(2, last))
    assert weights.argmax(dim=1).tolist() == [CAT, IT, HUNGRY, MEAT, ATE]
    close(weights[1], [0.02, 0.02, 0.02, 0.93, 0.02])
    close(output[1, [found // 2, other // 2]], [3.30, 0.59])


def test_how_sure_the_decoder_is() -> None:
    one, twin = (cross(after(2, last))[1] for last in by_hand.LAST)
    close(torch.stack([one[0, CAT], one[2, HUNGRY], one[3, MEAT], one[4, ATE]]),
          [0.86, 0.93, 1.00, 0.93])  # fmt: skip
    close(torch.stack([twin[0, CAT], twin[3, MEAT]]), [1.00, 0.86])
    close(one[1], twin[1].tolist(), 6)  # the weights on *it* are the same, what is found is not
    close(cross(sentence())[0][1, :2], [0.05, 0.03])  # without the two layers it finds nothing


# ---- the functions


def test_places_are_counted_from_one() -> None:
    assert sentence("fresh", place=True)[:, -1].tolist() == [1, 2, 3, 4, 5]
    assert rows("meat", "it").shape == (2, len(by_hand.COLUMNS))
    assert rows().shape == (0, 5) and rows(place=True).shape == (0, 6)
