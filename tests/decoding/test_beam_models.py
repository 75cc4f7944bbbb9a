"""Beam search with the book's translators: caches in the right order, ragged batches, limits."""

import itertools
from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn

from bottomup.data import BOS, EOS, Batch, make_batch
from bottomup.decoding import beam_search, gnmt_penalty, greedy, sampled
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig, Transformer, TransformerConfig
from tests.drawn import global_seed

SOURCES, WORDS, LONGEST = 11, 5, 7
VOCABULARIES = {"source_vocabulary": SOURCES, "target_vocabulary": WORDS}
PAIRS = [([4, 5, 6, 7, 8], []), ([9], []), ([10, 4], [])]
ATTENTIONS = ("none", "bahdanau", "general")


def transformer(seed: int = 0, **options) -> Transformer:
    sizes = {"d_model": 6, "num_heads": 3, "d_ff": 13, "encoder_layers": 1, "decoder_layers": 2}
    with global_seed(seed):
        config = TransformerConfig(**VOCABULARIES, max_length=LONGEST, **(sizes | options))
        model = Transformer(config).double()
        for parameter in model.parameters():  # so that its choices are not all alike
            parameter.data.mul_(1.5)
    return model.eval()


def recurrent(attention: str, **options) -> RNNSeq2Seq:
    with global_seed(5):
        config = Seq2SeqConfig(
            **VOCABULARIES, attention=attention, d_embedding=5, d_state=6, **options
        )
        model = RNNSeq2Seq(config).double()
        for parameter in model.parameters():
            parameter.data.mul_(3)
    return model.eval()


MODELS = {"transformer": transformer, "shared layers": lambda: transformer(share_layers=True)}
MODELS |= {name: (lambda name=name: recurrent(name)) for name in ATTENTIONS}
MODELS["input feeding"] = lambda: recurrent("general", input_feeding=True)
for_every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


class State(NamedTuple):
    inner: object
    source: Tensor
    mask: Tensor
    read: Tensor


class Recomputing(nn.Module):
    """A model that computes each step a second time, from the whole prefix, and compares."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.differences: list[float] = []

    def start(self, source: Tensor, source_mask: Tensor) -> State:
        read = torch.zeros(len(source), 0, dtype=torch.int64)
        return State(self.model.start(source, source_mask), source, source_mask, read)

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State, Tensor | None]:
        logits, inner, weights = self.model.step(token, state.inner)
        read = torch.cat([state.read, token[:, None]], dim=1)
        real = torch.ones_like(read, dtype=torch.bool)
        whole = self.model(Batch(state.source, state.mask, read, read, real)).logits[:, -1]
        self.differences.append((logits - whole).abs().max().item())
        return logits, State(inner, state.source, state.mask, read), weights

    def reorder(self, state: State, index: Tensor) -> State:
        rest = (part[index] for part in state[1:])
        return State(self.model.reorder(state.inner, index), *rest)


@for_every_model
def test_steps_on_reordered_states_are_those_of_the_whole_prefix(make):
    model, batch = Recomputing(make()), make_batch(PAIRS)
    beam_search(model, batch.source, batch.source_mask, beam=4, n_best=4, max_length=LONGEST)
    assert len(model.differences) >= 5
    assert max(model.differences) < 1e-10


def log_probability(model: nn.Module, source: list[int], answer: list[int]) -> float:
    """log P of the answer as the whole model gives it, EOS included only if it is in the answer."""
    batch, chain = make_batch([(source, [])]), torch.tensor([[BOS, *answer]])
    read, real = chain[:, :-1], torch.ones(1, len(answer), dtype=torch.bool)
    rows = model(Batch(batch.source, batch.source_mask, read, chain[:, 1:], real)).logits[0]
    return rows.log_softmax(dim=-1).gather(1, chain[0, 1:, None]).sum().item()


@for_every_model
def test_log_probabilities_are_those_of_the_sequences(make):
    model, batch = make(), make_batch(PAIRS)
    decoded = beam_search(
        model, batch.source, batch.source_mask, beam=4, n_best=3, max_length=LONGEST
    )
    for row, (source, _) in enumerate(PAIRS):
        ends = [[EOS] if ended else [] for ended in decoded.ended[row]]
        answers = [a + end for a, end in zip(decoded.to_lists()[row], ends, strict=True)]
        totals = [log_probability(model, source, answer) for answer in answers]
        assert decoded.log_probabilities[row].tolist() == pytest.approx(totals, abs=1e-10)
        scores = [t / gnmt_penalty(len(a), 0.6) for t, a in zip(totals, answers, strict=True)]
        assert decoded.scores[row].tolist() == pytest.approx(scores, abs=1e-10)


@pytest.mark.parametrize("alpha", [0, 0.6])
def test_a_beam_as_wide_as_the_space_finds_the_transformer_s_best(alpha):
    model, steps = transformer(seed=3), 3
    batch, source = make_batch(PAIRS[:1]), PAIRS[0][0]
    words = [token for token in range(WORDS) if token != EOS]
    found = {
        target: log_probability(model, source, [*target, EOS]) / gnmt_penalty(length + 1, alpha)
        for length in range(steps)
        for target in itertools.product(words, repeat=length)
    }
    best = sorted(found, key=lambda target: -found[target])[:5]
    decoded = beam_search(
        model, batch.source, batch.source_mask,
        beam=WORDS * 4 ** (steps - 1), n_best=5, max_length=steps, length_penalty=alpha,
    )  # fmt: skip
    assert decoded.to_lists()[0] == [list(target) for target in best]
    assert decoded.scores[0].tolist() == pytest.approx([found[t] for t in best], abs=1e-10)


@for_every_model
def test_a_ragged_batch_is_its_sources_one_by_one(make):
    model, batch = make(), make_batch(PAIRS)
    options = {"beam": 3, "n_best": 3, "max_length": LONGEST}
    together = beam_search(model, batch.source, batch.source_mask, **options)
    for row, pair in enumerate(PAIRS):
        one = make_batch([pair])
        alone = beam_search(model, one.source, one.source_mask, **options)
        assert together.to_lists()[row] == alone.to_lists()[0]
        torch.testing.assert_close(together.scores[row], alone.scores[0], rtol=0, atol=1e-10)


@for_every_model
def test_a_beam_of_one_without_penalty_is_greedy(make, device):
    model, batch = make().to(device), make_batch(PAIRS).to(device)
    source = (batch.source, batch.source_mask)
    expected = greedy(model, *source, max_length=LONGEST)
    decoded = beam_search(model, *source, beam=1, max_length=LONGEST, length_penalty=0)
    assert decoded.tokens.device.type == device.type
    assert decoded.best().to_lists() == expected.to_lists()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_other_dtypes_are_added_up_in_float64(dtype):
    model, batch = transformer().to(dtype), make_batch(PAIRS)
    decoded = beam_search(model, batch.source, batch.source_mask, beam=3, max_length=LONGEST)
    assert decoded.scores.dtype == decoded.log_probabilities.dtype == torch.float64
    assert decoded.scores.isfinite().all()


@pytest.mark.parametrize("decode", [greedy, sampled, beam_search])
def test_a_length_past_the_table_of_positions_is_refused(decode, generator):
    extra = {sampled: {"generator": generator}, beam_search: {"beam": 2}}.get(decode, {})
    model, batch = transformer(), make_batch(PAIRS)
    message = "max_length: expected at most the model's 7 target positions, got 8"
    with pytest.raises(ValueError, match=message):
        decode(model, batch.source, batch.source_mask, max_length=LONGEST + 1, **extra)
    assert decode(model, batch.source, batch.source_mask, max_length=LONGEST, **extra)
