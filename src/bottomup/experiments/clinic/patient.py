"""Chapter 11: a trained network in its pipeline, and what can be asked of it from outside."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor, nn

from bottomup.data import Batch, make_batch
from bottomup.data.batching import Pair
from bottomup.decoding import beam_search, greedy
from bottomup.experiments.clinic.config import Config
from bottomup.experiments.clinic.diseases import Pipeline
from bottomup.experiments.shared.training import seeded
from bottomup.models import Transformer
from bottomup.models.transformer import TransformerOutput, TransformerWeights


@dataclass(frozen=True)
class Chart:
    """What a training wrote down.

    Attributes:
        loss, gradient_norm, rate: one number a step; the norm is that before clipping.
        first_weight: the largest weight of a source position in self-attention before the first
            step, mean over the positions of a batch.
    """

    loss: tuple[float, ...]
    gradient_norm: tuple[float, ...]
    rate: tuple[float, ...]
    first_weight: float


@dataclass(frozen=True, eq=False)
class Prefixes:
    """What decoding remembers: the source, and the tokens read so far, a row a sequence."""

    source: Tensor
    source_mask: Tensor
    tokens: Tensor


class Patient(nn.Module):
    """A trained network in its pipeline. It is asked through the pipeline, with what is ill in it.

    Decoding computes all prefixes anew in each step, which gives what a cache would give.

    Args:
        config, pipeline, network, chart: of its training.
        training_sentences, test_sentences: of its training.
    """

    def __init__(
        self,
        config: Config,
        pipeline: Pipeline,
        network: Transformer,
        chart: Chart,
        training_sentences: Sequence[Pair],
        test_sentences: Sequence[Pair],
    ) -> None:
        super().__init__()
        self.config, self.pipeline, self.network, self.chart = config, pipeline, network, chart
        self.training_sentences = training_sentences
        self.test_sentences = test_sentences
        with seeded(0):
            batch = make_batch(test_sentences)
            self.reported = float(pipeline.loss(self._ask(batch).logits, batch))

    def log_probabilities(self, pairs: Sequence[Pair], *, training: bool = False) -> Tensor:
        """Return [pair, place, word]: what the decoder says where it reads the true target."""
        return self._ask(make_batch(pairs), training=training).logits.log_softmax(dim=-1)

    def weights(self, pairs: Sequence[Pair]) -> TransformerWeights:
        """Return what every head reads, with the true target read."""
        return cast(TransformerWeights, self._ask(make_batch(pairs), weights=True).weights)

    def greedy(self, sources: Sequence[list[int]]) -> list[list[int]]:
        """Decode some sources in one batch."""
        batch = make_batch([(source, []) for source in sources])
        longest = self.config.longest_written
        return greedy(self, batch.source, batch.source_mask, max_length=longest).to_lists()

    def beam(self, source: list[int], beam: int = 4) -> list[tuple[list[int], float]]:
        """Return the best sequences for one source that ended, each with its log-probability."""
        batch, longest = make_batch([(source, [])]), self.config.longest_written
        found = beam_search(
            self, batch.source, batch.source_mask, beam=beam, max_length=longest, n_best=beam
        )
        parts = found.to_lists()[0], found.log_probabilities[0].tolist(), found.ended[0].tolist()
        return [(tokens, log_p) for tokens, log_p, ended in zip(*parts, strict=True) if ended]

    def start(self, source: Tensor, source_mask: Tensor) -> Prefixes:
        """Return the state before the first token."""
        return Prefixes(source, source_mask, source[:, :0])

    def step(self, token: Tensor, state: Prefixes) -> tuple[Tensor, Prefixes, None]:
        """Read one token of each sequence; return logits for the next, and the new state."""
        tokens = torch.cat([state.tokens, token[:, None]], dim=1)
        all_real = torch.ones_like(tokens, dtype=torch.bool)
        batch = Batch(state.source, state.source_mask, tokens, tokens, all_real)
        logits = self._forward(self.pipeline.decodes(batch)).logits
        return logits[:, -1], replace(state, tokens=tokens), None

    def reorder(self, state: Prefixes, index: Tensor) -> Prefixes:
        """Return the state in which sequence b goes on from ``index[b]``."""
        if not self.pipeline.reorders:  # of one source: each place keeps the past that it had
            index = torch.arange(len(index)).clamp(max=len(state.tokens) - 1)
        return Prefixes(state.source[index], state.source_mask[index], state.tokens[index])

    def _ask(
        self, batch: Batch, *, training: bool = False, weights: bool = False
    ) -> TransformerOutput:
        return self._forward(self.pipeline.fed(batch), training, weights)

    def _forward(
        self, batch: Batch, training: bool = False, weights: bool = False
    ) -> TransformerOutput:
        self.network.train(training or not self.pipeline.evaluates)
        with torch.no_grad():
            return cast(TransformerOutput, self.network(batch, need_weights=weights))
