"""Corrupted sentences by hand and in the shares of the paper; what holds always: `properties`."""

import math

import pytest
import torch

from bottomup.data import BatchStream, MaskedBatch, MaskedStream, corrupt, exchange
from tests.drawn import seeded

MASK, VOCABULARY = 17, 17
OPTIONS = {"mask_id": MASK, "vocabulary": VOCABULARY}
WORDS = torch.tensor([[1, 5, 7, 11, 13, 4, 2], [5, 6, 3, 8, 16, 9, 0]])
TYPES = torch.tensor([5, 7, 11])


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch):
    """Have torch's random numbers be the given ones, in turn."""

    def give(uniform: list[list[list[float]]], integers: list[list[int]]) -> None:
        numbers = iter(torch.tensor(each) for each in uniform)
        monkeypatch.setattr(torch, "rand", lambda shape, **_: next(numbers))
        monkeypatch.setattr(torch, "randint", lambda *_, **__: torch.tensor(integers))

    return give


def about(count: int, of: int, share: float) -> bool:
    """Whether a count lies within four standard deviations of its binomial mean."""
    return abs(count - share * of) < 4 * math.sqrt(of * share * (1 - share))


def test_corruption_by_hand(draws, generator):
    draws(
        [
            # chosen below 0.15: never 1, 2, 3 and 0, which are no words
            [[0.0, 0.1, 0.2, 0.14, 0.01, 0.0, 0.0], [0.149, 0.151, 0.0, 0.0, 0.05, 0.1, 0.0]],
            # hidden below 0.8, exchanged below 0.9
            [[0.0, 0.799, 0.0, 0.801, 0.901, 0.99, 0.0], [0.899, 0.85, 0.0, 0.0, 0.85, 0.5, 0.0]],
        ],
        [[4, 5, 6, 7, 8, 9, 10], [5, 12, 13, 14, 15, 16, 4]],
    )
    before = WORDS.clone()
    corrupted, chosen = corrupt(WORDS, **OPTIONS, generator=generator)
    assert corrupted.tolist() == [[1, MASK, 7, 7, 13, 4, 2], [5, 6, 3, MASK, 15, MASK, 0]]
    assert chosen.int().tolist() == [[0, 1, 0, 1, 1, 1, 0], [1, 0, 0, 1, 1, 1, 0]]
    assert torch.equal(WORDS, before)
    assert (corrupted.dtype, chosen.dtype) == (torch.int64, torch.bool)


def test_the_shares_are_those_of_the_paper_or_as_asked_for():
    tokens = torch.full((101, 997), 4)
    corrupted, chosen = corrupt(tokens, **OPTIONS, generator=seeded(3))
    picked = int(chosen.sum())
    assert about(picked, tokens.numel(), 0.15)
    found = torch.bincount(corrupted[chosen], minlength=MASK + 1).tolist()
    assert about(found[MASK], picked, 0.8)
    # one exchange in 13 gives the same token again
    assert about(found[4], picked, 0.1 + 0.1 / 13)
    assert all(about(count, picked, 0.1 / 13) for count in found[5:MASK])
    assert found[:4] == [0, 0, 0, 0]
    for share in (0, 0.4, 1):
        chosen = corrupt(tokens, **OPTIONS, generator=seeded(3), chosen=share).chosen
        assert int(chosen.sum()) == share * tokens.numel() or about(
            int(chosen.sum()), tokens.numel(), share
        )


def test_one_generator_gives_one_corruption_wherever_the_tokens_are(device):
    here = corrupt(WORDS, **OPTIONS, generator=seeded(3), chosen=0.5)
    there = corrupt(WORDS.to(device), **OPTIONS, generator=seeded(3), chosen=0.5)
    assert {part.device.type for part in there} == {device.type}
    assert all(torch.equal(one, other.cpu()) for one, other in zip(here, there, strict=True))


def test_exchange_by_hand(draws, generator):
    draws([[[0.1, 0.1, 0.1, 0.1, 0.1, 0.3, 0.1]]], [[1, 1, 1, 1, 2, 2, 2]])
    tokens = torch.tensor([[5, 7, 11, 4, 5, 7, 11]])  # round the circle 5, 7, 11
    read, chosen = exchange(tokens, among=TYPES[[2, 0, 1]], generator=generator, chosen=0.2)
    assert read.tolist() == [[7, 11, 5, 4, 11, 7, 7]]
    assert chosen.tolist() == [[True, True, True, False, True, False, True]]


def test_an_exchanged_token_is_of_another_of_the_types_each_equally_often():
    tokens = torch.tensor([5, 7, 11, 4, 13]).repeat(101, 211)
    read, chosen = exchange(tokens, among=TYPES, generator=seeded(3), chosen=0.3)
    eligible = torch.isin(tokens, TYPES)
    assert torch.equal(read[~eligible], tokens[~eligible])
    assert about(int(chosen.sum()), int(eligible.sum()), 0.3)
    for own in TYPES.tolist():
        drawn = torch.bincount(read[chosen & (tokens == own)], minlength=12)
        others = [kind for kind in TYPES.tolist() if kind != own]
        assert drawn.nonzero().flatten().tolist() == others
        assert all(about(int(drawn[kind]), int(drawn.sum()), 0.5) for kind in others)


def stream(sentence: list[int], seed: int) -> MaskedStream:
    sentences = BatchStream([(sentence, [])], tokens_per_batch=12, seed=7)
    return MaskedStream(sentences, **OPTIONS, seed=seed)


def test_a_sentence_is_corrupted_anew_in_each_epoch_and_has_something_to_predict():
    batches = [stream(list(range(4, 17)), 2)(epoch) for epoch in range(5)]
    assert len({tuple(batch.chosen[0].tolist()) for batch in batches}) > 1
    seen = [stream([5], 2)(step) for step in range(53)]
    assert all(batch.chosen.tolist() == [[True, False]] for batch in seen)
    assert {batch.corrupted[0, 0].item() for batch in seen} >= {5, MASK}


def test_a_batch_counts_what_was_chosen_and_equals_itself_alone():
    chosen = torch.tensor([[True, False, True], [False, False, True]])
    by_hand = MaskedBatch(corrupted=WORDS[:, :3], original=WORDS[:, :3], chosen=chosen)
    assert by_hand.tokens == 3
    assert by_hand == by_hand
    assert by_hand != MaskedBatch(WORDS[:, :3], WORDS[:, :3], chosen)
