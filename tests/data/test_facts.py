import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.data import SPECIAL_TOKENS, Facts, Vocabulary, held_out, make_facts
from bottomup.explorables.neuron_inspector import LONGEST_ATTRIBUTE, LONGEST_NAME

SMALL = Facts(
    first_names=("Ann", "Bo"),
    last_names=("Ash", "Crow", "Dun"),
    attributes=("darts", "golf"),
    table=torch.tensor([[0, 1, 1], [1, 0, 0]]),
    words=Vocabulary(["Ann", "Bo", "Ash", "Crow", "Dun", "darts", "golf"]),
)


def counts(rows: torch.Tensor, attributes: int) -> set[int]:
    """How often an attribute stands in a row: all the numbers that occur."""
    return {int(n) for row in rows for n in torch.bincount(row, minlength=attributes)}


def arithmetic(table: torch.Tensor, attributes: int) -> float:
    """Share of rectangles whose fourth corner follows from three, as in ``(i + j) mod n``."""
    rows, columns = table.shape
    i, k = np.triu_indices(rows, 1)
    j, n = np.triu_indices(columns, 1)
    t = table.numpy()
    corners = (t[i][:, j] - t[i][:, n] - t[k][:, j] + t[k][:, n]) % attributes
    return float((corners == 0).mean())


def test_names_tokens_and_labels_by_hand():
    assert len(SMALL) == 6
    assert SMALL.names == ["Ann Ash", "Ann Crow", "Ann Dun", "Bo Ash", "Bo Crow", "Bo Dun"]
    assert SMALL.tokens.tolist() == [[4, 6], [4, 7], [4, 8], [5, 6], [5, 7], [5, 8]]
    assert SMALL.attribute_tokens.tolist() == [9, 10]
    assert SMALL.labels.tolist() == [
        [0, 0, 0], [0, 1, 1], [0, 2, 1], [1, 0, 1], [1, 1, 0], [1, 2, 0],
    ]  # fmt: skip
    assert SMALL.examples()[:2] == [([4, 6], {1: 9}), ([4, 7], {1: 10})]
    assert SMALL.examples()[5] == ([5, 8], {1: 9})


@settings(max_examples=25)
@given(st.integers(2, 6), st.integers(2, 4), st.integers(2, 4), st.integers(0, 2**32))
def test_every_name_goes_with_every_attribute_equally_often(attributes, rows, columns, seed):
    facts = make_facts(
        first_names=rows * attributes,
        last_names=columns * attributes,
        attributes=attributes,
        seed=seed,
    )
    assert counts(facts.table, attributes) == {columns}
    assert counts(facts.table.T, attributes) == {rows}


@pytest.mark.parametrize("names, attributes, most", [(20, 10, 0.12), (10, 5, 0.3)])
def test_the_table_is_no_arithmetic(names: int, attributes: int, most: float):
    start = torch.arange(names)[:, None] + torch.arange(names)
    assert arithmetic(start % attributes, attributes) == 1
    one, again, other = (
        make_facts(first_names=names, last_names=names, attributes=attributes, seed=seed)
        for seed in (1, 1, 2)
    )
    assert arithmetic(one.table, attributes) < most  # by chance 1 of the attributes
    assert (one.table == start % attributes).double().mean() < 2 * most
    assert torch.equal(one.table, again.table) and not torch.equal(one.table, other.table)
    assert one.words.tokens == other.words.tokens


def test_the_words_are_different_and_fit_the_figure():
    facts = make_facts(first_names=48, last_names=48, attributes=24)
    words = (*facts.first_names, *facts.last_names, *facts.attributes)
    assert len(set(words)) == 48 + 48 + 24
    assert facts.words.tokens == (*SPECIAL_TOKENS, *words)
    assert max(map(len, facts.names)) <= LONGEST_NAME
    assert max(map(len, make_facts().attributes)) <= LONGEST_ATTRIBUTE
    assert all(word.isalpha() for word in words)


@settings(max_examples=25)
@given(every=st.integers(2, 8), seed=st.integers(0, 2**32))
def test_held_out_people_are_spread_over_the_names(every, seed):
    facts = make_facts(first_names=12, last_names=8, attributes=4)
    test = held_out(facts, every=every, seed=seed).view(12, 8)
    assert {int(n) for n in test.sum(dim=1)} <= {8 // every, -(-8 // every)}
    assert {int(n) for n in test.sum(dim=0)} <= {12 // every, -(-12 // every)}


def test_every_name_is_on_both_sides():
    test = held_out(make_facts(), seed=5).view(20, 20)
    assert set(test.sum(dim=0).tolist()) == set(test.sum(dim=1).tolist()) == {5}
    assert not torch.equal(test, held_out(make_facts(), seed=6).view(20, 20))
