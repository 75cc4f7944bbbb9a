"""Corrupted sentences: by hand, in the shares of the paper, and as a function of the step."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.data import BatchStream, MaskedBatch, MaskedStream, corrupt, exchange
from bottomup.training import TrainingBatch
from tests.drawn import seeded

MASK, VOCABULARY = 17, 17
OPTIONS = {"mask_id": MASK, "vocabulary": VOCABULARY}
WORDS = torch.tensor([[1, 5, 7, 11, 13, 4, 2], [5, 6, 3, 8, 16, 9, 0]])
TYPES = torch.tensor([5, 7, 11])
PAIRS = [
    ([4 + (place * 5 + number) % 13 for place in range(2 + number % 3)], []) for number in range(23)
]


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


# ---- Corruption


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
    corrupted, chosen = corrupt(WORDS, **OPTIONS, generator=generator)
    assert corrupted.tolist() == [[1, MASK, 7, 7, 13, 4, 2], [5, 6, 3, MASK, 15, MASK, 0]]
    assert chosen.int().tolist() == [[0, 1, 0, 1, 1, 1, 0], [1, 0, 0, 1, 1, 1, 0]]


def test_the_original_stays_as_it_was(generator):
    before = WORDS.clone()
    corrupted, chosen = corrupt(WORDS, **OPTIONS, generator=generator, chosen=1)
    assert torch.equal(WORDS, before)
    assert not torch.equal(corrupted, before)
    assert (corrupted.dtype, chosen.dtype) == (torch.int64, torch.bool)
    assert corrupted.shape == chosen.shape == (2, 7)


def test_the_shares_are_those_of_the_paper():
    tokens = torch.full((101, 997), 4)
    corrupted, chosen = corrupt(tokens, **OPTIONS, generator=seeded(3))
    picked = int(chosen.sum())
    assert about(picked, tokens.numel(), 0.15)
    assert torch.equal(corrupted[~chosen], tokens[~chosen])
    found = torch.bincount(corrupted[chosen], minlength=MASK + 1).tolist()
    assert about(found[MASK], picked, 0.8)
    # one exchange in 13 gives the same token again
    assert about(found[4], picked, 0.1 + 0.1 / 13)
    assert all(about(count, picked, 0.1 / 13) for count in found[5:MASK])
    assert found[:4] == [0, 0, 0, 0]


def test_another_share_is_chosen_as_asked_for():
    tokens = torch.full((53, 997), 7)
    chosen = corrupt(tokens, **OPTIONS, generator=seeded(3), chosen=0.4).chosen
    assert about(int(chosen.sum()), tokens.numel(), 0.4)
    assert not corrupt(tokens, **OPTIONS, generator=seeded(3), chosen=0).chosen.any()
    assert corrupt(tokens, **OPTIONS, generator=seeded(3), chosen=1).chosen.all()


def test_special_tokens_are_never_chosen_nor_drawn():
    tokens = torch.arange(7).repeat(101, 31)
    corrupted, chosen = corrupt(tokens, **OPTIONS, generator=seeded(3), chosen=1)
    assert torch.equal(chosen, tokens >= 4)
    assert corrupted[chosen].min() == 4
    assert corrupted[chosen].unique().tolist() == list(range(4, MASK + 1))


def test_the_mask_token_may_be_a_special_one(generator):
    options = {"mask_id": 3, "vocabulary": VOCABULARY}
    corrupted, chosen = corrupt(WORDS.repeat(7, 1), **options, generator=generator, chosen=1)
    assert (corrupted[chosen] == 3).any()
    assert corrupted.max() < VOCABULARY


def test_one_generator_gives_one_corruption_wherever_the_tokens_are(device):
    here = corrupt(WORDS, **OPTIONS, generator=seeded(3), chosen=0.5)
    there = corrupt(WORDS.to(device), **OPTIONS, generator=seeded(3), chosen=0.5)
    assert {part.device.type for part in there} == {device.type}
    assert all(torch.equal(one, other.cpu()) for one, other in zip(here, there, strict=True))
    other = corrupt(WORDS, **OPTIONS, generator=seeded(5), chosen=0.5)
    assert not torch.equal(here.chosen, other.chosen)


# ---- Exchange


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
    assert torch.equal(chosen, read != tokens)
    assert torch.equal(read[~eligible], tokens[~eligible])
    assert about(int(chosen.sum()), int(eligible.sum()), 0.3)
    for own in TYPES.tolist():
        drawn = torch.bincount(read[chosen & (tokens == own)], minlength=12)
        others = [kind for kind in TYPES.tolist() if kind != own]
        assert drawn.nonzero().flatten().tolist() == others
        assert all(about(int(drawn[kind]), int(drawn.sum()), 0.5) for kind in others)


def test_of_two_types_each_becomes_the_other(device):
    tokens = torch.tensor([[9, 6, 9, 9, 5]], device=device)
    two = torch.tensor([9, 6])
    read, chosen = exchange(tokens, among=two, generator=seeded(3), chosen=1)
    assert read.tolist() == [[6, 9, 6, 6, 5]]
    assert chosen.tolist() == [[True, True, True, True, False]]
    same, none = exchange(tokens, among=two, generator=seeded(3), chosen=0)
    assert torch.equal(same, tokens)
    assert not none.any()


# ---- Batches


def stream(*, seed: int = 2, pairs=PAIRS, tokens_per_batch: int = 12) -> MaskedStream:
    sentences = BatchStream(pairs, tokens_per_batch=tokens_per_batch, seed=7)
    return MaskedStream(sentences, **OPTIONS, seed=seed)


def parts(batch: MaskedBatch) -> tuple[Tensor, Tensor, Tensor]:
    return batch.corrupted, batch.original, batch.chosen


def same(one: MaskedBatch, other: MaskedBatch) -> bool:
    return all(torch.equal(a, b) for a, b in zip(parts(one), parts(other), strict=True))


def test_a_batch_holds_the_sentences_of_its_step():
    sentences = BatchStream(PAIRS, tokens_per_batch=12, seed=7)
    for step in (0, 1, 5, 31):
        batch = stream()(step)
        assert torch.equal(batch.original, sentences(step).source)
        assert torch.equal(batch.corrupted[~batch.chosen], batch.original[~batch.chosen])
        assert (batch.original[batch.chosen] >= 4).all()


def test_batches_depend_on_seed_and_step_alone():
    one, other = stream(), stream()
    other(11)
    assert same(one(5), other(5))
    assert same(one(5), one(5))


def test_another_seed_chooses_other_tokens_of_the_same_sentences():
    one, other = stream(seed=2), stream(seed=3)
    steps = range(7)
    assert all(torch.equal(one(step).original, other(step).original) for step in steps)
    assert any(not torch.equal(one(step).chosen, other(step).chosen) for step in steps)


def test_a_sentence_is_corrupted_anew_in_each_epoch():
    single = stream(pairs=[(list(range(4, 17)), [])])
    batches = [single(epoch) for epoch in range(5)]
    assert all(torch.equal(batch.original, batches[0].original) for batch in batches)
    assert len({tuple(batch.chosen[0].tolist()) for batch in batches}) > 1


def test_a_batch_always_has_something_to_predict():
    single = stream(pairs=[([5], [])])
    seen = [single(step) for step in range(53)]
    assert all(batch.chosen.tolist() == [[True, False]] for batch in seen)
    assert {batch.corrupted[0, 0].item() for batch in seen} >= {5, MASK}


def test_a_batch_can_be_trained_on_and_moved(device):
    batch = stream()(3)
    moved = batch.to(device)
    assert isinstance(moved, TrainingBatch)
    assert {part.device.type for part in parts(moved)} == {device.type}
    assert all(torch.equal(a, b.cpu()) for a, b in zip(parts(batch), parts(moved), strict=True))
    chosen = torch.tensor([[True, False, True], [False, False, True]])
    by_hand = MaskedBatch(corrupted=WORDS[:, :3], original=WORDS[:, :3], chosen=chosen)
    assert by_hand.tokens == 3
    assert by_hand == by_hand
    assert by_hand != MaskedBatch(WORDS[:, :3], WORDS[:, :3], chosen)


# ---- What is refused


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"tokens": [[5]]}, TypeError, "tokens: expected a torch.Tensor, got list"),
        ({"tokens": torch.ones(2, 3)}, TypeError, "tokens: expected token numbers of dtype"),
        ({"tokens": torch.tensor([5])}, ValueError, r"tokens: .*axes \[batch, position\]"),
        ({"tokens": -WORDS}, ValueError, r"tokens: .* in \[0, 17\), got -16"),
        ({"tokens": WORDS + 7}, ValueError, r"tokens: .* in \[0, 17\), got 23"),
        ({"vocabulary": 4}, ValueError, "vocabulary: expected an integer of at least 5, got 4"),
        ({"vocabulary": 7.0}, TypeError, "vocabulary: expected an integer, got 7.0"),
        ({"mask_id": 4}, ValueError, r"mask_id: expected a number outside \[4, 17\), got 4"),
        ({"mask_id": 16}, ValueError, r"mask_id: expected a number outside \[4, 17\), got 16"),
        ({"mask_id": -1}, ValueError, "mask_id: expected an integer of at least 0, got -1"),
        ({"chosen": 1.1}, ValueError, "chosen: expected a number >= 0 and <= 1, got 1.1"),
        ({"chosen": "some"}, TypeError, "chosen: expected a number, got 'some'"),
        ({"generator": 3}, TypeError, "generator: expected a torch.Generator, got int"),
    ],
)
def test_a_bad_corruption_is_refused(changes, error, message):
    arguments = {"tokens": WORDS, **OPTIONS, "generator": seeded(0), **changes}
    with pytest.raises(error, match=message):
        corrupt(arguments.pop("tokens"), **arguments)


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"tokens": -WORDS}, ValueError, "tokens: expected token numbers"),
        ({"among": torch.tensor([5])}, ValueError, r"among: expected two .* types, got \[5\]"),
        ({"among": torch.tensor([5, 7, 5])}, ValueError, r"among: .* different .* \[5, 7, 5\]"),
        ({"among": TYPES[None]}, ValueError, r"among: expected non-empty axes \[type\]"),
        ({"among": TYPES.float()}, TypeError, "among: expected token numbers of dtype"),
        ({"among": [5, 7]}, TypeError, "among: expected a torch.Tensor, got list"),
        ({"chosen": -0.1}, ValueError, "chosen: expected a number >= 0 and <= 1, got -0.1"),
        ({"generator": None}, TypeError, "generator: expected a torch.Generator, got None"),
    ],
)
def test_a_bad_exchange_is_refused(changes, error, message):
    arguments = {"tokens": WORDS, "among": TYPES, "generator": seeded(0), "chosen": 0.5, **changes}
    with pytest.raises(error, match=message):
        exchange(arguments.pop("tokens"), **arguments)


SENTENCES = BatchStream(PAIRS, tokens_per_batch=12, seed=7)
UNKNOWN = BatchStream([([3], [])], tokens_per_batch=12, seed=7)


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"sentences": PAIRS}, TypeError, "sentences: expected a BatchStream, got "),
        ({"sentences": UNKNOWN}, ValueError, "sentences: expected an ordinary token in batch 0"),
        ({"seed": -1}, ValueError, "seed: expected an integer of at least 0, got -1"),
        ({"mask_id": 5}, ValueError, r"mask_id: expected a number outside \[4, 17\), got 5"),
        ({"vocabulary": 4}, ValueError, "vocabulary: expected an integer of at least 5, got 4"),
    ],
)
def test_a_bad_stream_is_refused_before_the_first_step(changes, error, message):
    arguments = {"sentences": SENTENCES, **OPTIONS, "seed": 2, **changes}
    with pytest.raises(error, match=message):
        MaskedStream(arguments.pop("sentences"), **arguments)


def test_a_bad_step_is_refused():
    with pytest.raises(ValueError, match="step: expected an integer of at least 0, got -1"):
        stream()(-1)
    with pytest.raises(TypeError, match=r"step: expected an integer, got 1\.5"):
        stream()(1.5)
