"""Scaled embeddings and the position probe, of chapter 05: what holds for any input."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine

RESIDUAL_POSITION_PROBE = catalog()["residual-position-probe"]
SCALED_EMBEDDING = catalog()["scaled-embedding"]


@given(st.integers(0, 4))
def test_a_sentence_read_in_two_parts_gets_the_same_vectors(split: int):
    tokens, embedding, positions, _start = SCALED_EMBEDDING.cases[2].fresh().inputs.values()
    whole = SCALED_EMBEDDING.solution(tokens, embedding, positions, 0)
    parts = [
        SCALED_EMBEDDING.solution(tokens[:, :split], embedding, positions, 0),
        SCALED_EMBEDDING.solution(tokens[:, split:], embedding, positions, split),
    ]
    assert torch.cat(parts, dim=1).equal(whole)


def test_a_table_scaled_in_place_is_told():
    def answer(tokens: Tensor, embedding: Tensor, positions: Tensor, start: int) -> Tensor:
        embedding *= embedding.shape[1] ** 0.5
        return embedding[tokens] + positions[start : start + tokens.shape[1]]

    assert "changes its input embedding" in examine(SCALED_EMBEDDING, answer).message


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=11))
def test_every_deciding_pair_differs_in_the_part_alone(settings: list[tuple[bool, ...]]):
    switches = torch.tensor(settings)
    pairs, _effect = RESIDUAL_POSITION_PROBE.solution(switches, torch.zeros(len(settings)), 1)
    expected = [
        [i, j]
        for i, having in enumerate(settings)
        for j, lacking in enumerate(settings)
        if having[1] and lacking == (having[0], False, having[2])
    ]
    assert pairs.tolist() == expected
