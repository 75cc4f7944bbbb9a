"""Chapter 08's context of neighbours: labels and shares by hand."""

import pytest
import torch

from bottomup.data import Vocabulary
from bottomup.experiments.representation_analysis.context.neighbours import (
    chance,
    classes_of,
    copies,
    places,
    share,
    surroundings,
)

NETWORKS = ("lm", "mlm", "mt", "untrained", "untrained_causal")
LABELS = ["left_word", "right_word", "left_class", "right_class", "both_classes"]

# ---- Labels

WORDS = Vocabulary(["the", "dog", "cat", "sees", "."])  # numbers 4 to 8
SENTENCE = torch.tensor([[4, 5, 7, 4, 6, 8, 2]])  # the dog sees the cat .


def test_words_and_classes_beside_a_token_by_hand():
    labels = surroundings([SENTENCE, torch.tensor([[3, 8, 2]])], WORDS)
    assert list(labels) == LABELS
    # an unknown word is not asked, as in `gather`, but stands beside the full stop
    assert labels["left_word"].tolist() == [1, 4, 5, 7, 4, 6, 3]
    assert labels["right_word"].tolist() == [5, 7, 4, 6, 8, 2, 2]
    classes = classes_of(WORDS)
    [begin, end, unknown, the, noun, verb, stop] = classes[[1, 2, 3, 4, 5, 7, 8]].tolist()
    assert len({begin, end, unknown, the, noun, verb, stop}) == 7
    assert labels["left_class"].tolist() == [begin, the, noun, verb, the, noun, unknown]
    assert labels["right_class"].tolist() == [noun, verb, the, noun, stop, end, end]
    pairs = zip(labels["left_class"].tolist(), labels["right_class"].tolist(), strict=True)
    assert len(set(zip(labels["both_classes"].tolist(), pairs, strict=True))) == 7
    assert classes[5] == classes[6]  # dog, cat


# ---- Shares

TOKENS = torch.tensor([5, 9, 5, 9, 5, 9, 5, 7, 7])
DIRECTIONS = torch.tensor([0.0, 0, 10, 90, 20, 91, 80, 45, 46]).double().deg2rad()
STATES = torch.stack([DIRECTIONS.cos(), DIRECTIONS.sin()], dim=1) * torch.arange(1, 10)[:, None]
LABEL = torch.tensor([1, 3, 1, 3, 2, 4, 2, 1, 1])


def drawn(types: int = 9, per_type: int = 9, k: int = 1) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    return copies(TOKENS, types=types, per_type=per_type, k=k, generator=generator)


def test_copies_are_of_one_type_and_more_than_k():
    def rows(**choices: int) -> list[list[int]]:
        return [sorted(each.tolist()) for each in drawn(**choices)]

    assert rows() == [[0, 2, 4, 6], [1, 3, 5], [7, 8]]
    assert rows(types=1) == [[0, 2, 4, 6]]
    assert rows(k=2) == [[0, 2, 4, 6], [1, 3, 5]]
    assert [len(each) for each in drawn(per_type=3)] == [3, 3, 2]


def test_shares_by_hand():
    rows = drawn()
    near = places(STATES, rows, k=1)
    found = torch.zeros(9, 9)
    for each, of in zip(rows, near, strict=True):
        found[each[:, None], each] = of.float()
    assert (found.sum(dim=1) - 1).abs().max() < 1e-6
    assert found[2, [0, 4]].tolist() == pytest.approx([0.5, 0.5])  # equally near
    own = {0: 2, 4: 2, 6: 4, 1: 3, 3: 5, 5: 3, 7: 8, 8: 7}
    assert all(found[row, other] == 1 for row, other in own.items())
    # type 5: the nearest of 0 and 6 have their label, that of 4 has not, and of 2 one of both has;
    # type 9: that of 1. Type 7 is left out, as its copies do not differ in the label.
    assert share(LABEL, rows, near) == pytest.approx((2.5 / 4 + 1 / 3) / 2)
    # of 12 ordered pairs 4 are alike in type 5, of 6 there are 2 in type 9
    assert chance(LABEL, rows) == pytest.approx((4 / 12 + 2 / 6) / 2)


def test_a_label_in_which_no_copies_differ_is_refused():
    for ask in (lambda: share(TOKENS, drawn(), []), lambda: chance(TOKENS, drawn())):
        with pytest.raises(ValueError, match="copies of a type differ"):
            ask()
