from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn

from bottomup.data import BOS, EOS, PAD, make_batch
from bottomup.decoding import greedy, softmax_with_temperature

VOCABULARY = 17


class State(NamedTuple):
    source: Tensor
    mask: Tensor
    position: int
    read: list[Tensor]


class Copier(nn.Module):
    """Copies the source, EOS included, and attends to the token it copies."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.9)
        self.seen: list[tuple[bool, bool]] = []
        self.read: list[Tensor] = []

    def start(self, source: Tensor, source_mask: Tensor) -> State:
        return State(source, source_mask, 0, self.read)

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State, Tensor]:
        self.seen.append((self.training, torch.is_grad_enabled()))
        state.read.append(token)
        place = min(state.position, state.source.shape[1] - 1)
        logits = nn.functional.one_hot(state.source[:, place], VOCABULARY).float()
        weights = torch.zeros(state.source.shape)
        weights[:, place] = 1.0
        return self.dropout(logits), state._replace(position=state.position + 1), weights


class NoWeights(Copier):
    """The same without attention weights."""

    def step(self, token, state):
        logits, state, _ = super().step(token, state)
        return logits, state, None


class Negative(Copier):
    """The same with logits below 0, as log-probabilities are."""

    def step(self, token, state):
        logits, state, weights = super().step(token, state)
        return logits - 3.0, state, weights


class Broken(Copier):
    """The same, but gives NaN after token 8."""

    def step(self, token, state):
        logits, state, weights = super().step(token, state)
        return logits.masked_fill((token == 8)[:, None], float("nan")), state, weights


class Babbler(nn.Module):
    """Never ends; the next token depends on the last and on the sum of the source."""

    def start(self, source, source_mask):
        return source.masked_fill(~source_mask, 0).sum(dim=1)

    def step(self, token, state):
        state = (3 * state + token) % 101
        return nn.functional.one_hot(4 + state % 13, VOCABULARY).float(), state, None


def source_of(*rows: list[int]) -> tuple[Tensor, Tensor]:
    batch = make_batch([(row, []) for row in rows])
    return batch.source, batch.source_mask


def test_greedy_copies_each_source_and_leaves_eos_out():
    decoded = greedy(Copier(), *source_of([5, 6, 7], [8]), max_length=10)
    assert decoded.tokens.tolist() == [[5, 6, 7], [8, PAD, PAD]]
    assert decoded.lengths.tolist() == [3, 1]
    assert decoded.to_lists() == [[5, 6, 7], [8]]


def test_the_highest_logit_wins_where_all_are_negative():
    decoded = greedy(Negative(), *source_of([5, 6, 7], [8]), max_length=10)
    assert decoded.to_lists() == [[5, 6, 7], [8]]


def test_bos_and_pad_before_eos_stay_in_the_sequence():
    source = torch.tensor([[5, BOS, PAD, 6, EOS]])
    decoded = greedy(Copier(), source, torch.ones_like(source, dtype=torch.bool), max_length=10)
    assert decoded.to_lists() == [[5, BOS, PAD, 6]]


def test_a_model_that_gives_nan_is_refused():
    with pytest.raises(FloatingPointError, match=r"model: .* got NaN in sequences \[1\]"):
        greedy(Broken(), *source_of([5, 6, 7], [8, 9]), max_length=10)


def test_nan_behind_the_end_of_a_sequence_does_no_harm():
    class BrokenAfterTheEnd(Copier):
        def step(self, token, state):
            logits, state, weights = super().step(token, state)
            return logits.masked_fill((token == PAD)[:, None], float("nan")), state, weights

    decoded = greedy(BrokenAfterTheEnd(), *source_of([5, 6, 7], [8]), max_length=10)
    assert decoded.to_lists() == [[5, 6, 7], [8]]


def test_decoded_sequences_equal_themselves_alone():
    one, two = (greedy(Copier(), *source_of([5, 6]), max_length=10) for _ in range(2))
    assert one == one
    assert one != two


def test_weights_belong_to_the_tokens_and_vanish_behind_the_end():
    decoded = greedy(Copier(), *source_of([5, 6, 7], [8]), max_length=10)
    assert decoded.weights.shape == (2, 3, 4)
    assert decoded.weights[0].tolist() == torch.eye(3, 4).tolist()
    assert decoded.weights[1].tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_a_model_without_attention_gives_no_weights():
    assert greedy(NoWeights(), *source_of([5, 6]), max_length=10).weights is None


def test_the_model_reads_bos_then_its_own_tokens():
    model = Copier()
    greedy(model, *source_of([5, 6, 7], [8]), max_length=10)
    assert torch.stack(model.read, dim=1).tolist() == [[BOS, 5, 6, 7], [BOS, 8, PAD, PAD]]


def test_decoding_stops_when_all_sequences_have_ended():
    model = Copier()
    greedy(model, *source_of([5, 6, 7], [8]), max_length=100)
    assert len(model.seen) == 4


def test_decoding_stops_at_the_largest_length():
    decoded = greedy(Copier(), *source_of([5, 6, 7], [8]), max_length=2)
    assert decoded.to_lists() == [[5, 6], [8]]
    assert decoded.weights.shape == (2, 2, 4)
    assert greedy(Babbler(), *source_of([5], [6, 7]), max_length=11).lengths.tolist() == [11, 11]


def test_sequences_that_end_at_once_are_empty():
    eos = torch.full((2, 1), EOS)
    decoded = greedy(Copier(), eos, eos == EOS, max_length=5)
    assert decoded.to_lists() == [[], []]
    assert decoded.tokens.shape == (2, 0)
    assert decoded.weights.shape == (2, 0, 1)


def test_the_order_within_the_batch_does_not_matter(generator):
    rows = [[5, 6, 7], [8], [9, 10], [11, 12, 13, 14, 15], [4]]
    order = torch.randperm(len(rows), generator=generator).tolist()
    for model in (Copier(), Babbler()):
        plain = greedy(model, *source_of(*rows), max_length=7).to_lists()
        mixed = greedy(model, *source_of(*[rows[place] for place in order]), max_length=7)
        assert mixed.to_lists() == [plain[place] for place in order]


def test_a_sequence_does_not_depend_on_its_neighbours():
    rows = [[5, 6, 7], [8], [9, 10]]
    together = greedy(Babbler(), *source_of(*rows), max_length=7).to_lists()
    alone = [greedy(Babbler(), *source_of(row), max_length=7).to_lists()[0] for row in rows]
    assert together == alone


@pytest.mark.parametrize("training", [True, False])
def test_decoding_runs_in_evaluation_mode_and_restores_the_models_own(training):
    model = Copier().train(training)
    greedy(model, *source_of([5, 6]), max_length=3)
    assert set(model.seen) == {(False, False)}
    assert model.training is training
    assert model.dropout.training is training


def test_the_mode_is_restored_after_an_error():
    class Failing(Copier):
        def step(self, token, state):
            raise RuntimeError("no")

    model = Failing()
    with pytest.raises(RuntimeError, match="no"):
        greedy(model, *source_of([5]), max_length=3)
    assert model.training


def test_what_the_model_itself_calls_is_checked_while_it_decodes():
    class Careless(Copier):
        def step(self, token, state):
            return softmax_with_temperature(torch.zeros(len(token), 0), 1.0), state, None

    with pytest.raises(ValueError, match="logits: axis vocabulary must not be empty"):
        greedy(Careless(), *source_of([5]), max_length=3)


SOURCE, MASK = source_of([5, 6], [7])


@pytest.mark.parametrize(
    "source, mask, length, error, message",
    [
        (SOURCE, MASK, 0, ValueError, "max_length: expected an integer of at least 1"),
        (SOURCE.float(), MASK, 3, TypeError, "source: expected dtype torch.int64"),
        (SOURCE, MASK.long(), 3, TypeError, "source_mask: expected a boolean mask"),
        (SOURCE[0], MASK[0], 3, ValueError, r"source: expected axes \[batch, source\]"),
        (SOURCE[:0], MASK[:0], 3, ValueError, "source: axis batch must not be empty"),
        (SOURCE, MASK[:, :2], 3, ValueError, r"source_mask: expected axes \[batch=2, source=3\]"),
        ([[5]], MASK, 3, TypeError, "source: expected a torch.Tensor, got list"),
    ],
)
def test_bad_arguments_are_refused(source, mask, length, error, message):
    with pytest.raises(error, match=message):
        greedy(Copier(), source, mask, max_length=length)


@pytest.mark.parametrize("model", [nn.Linear(2, 3), lambda source: source])
def test_a_model_that_cannot_decode_is_refused(model):
    with pytest.raises(TypeError, match="an nn.Module with methods start and step, got"):
        greedy(model, SOURCE, MASK, max_length=3)
