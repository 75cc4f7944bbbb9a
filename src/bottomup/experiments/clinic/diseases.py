"""Chapter 11: what can be wrong in a pipeline. Each disease is the healthy one, a step changed.

A pipeline is more than a network: it says what the network is fed, how it is taught, and how it is
asked.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.data import Batch
from bottomup.experiments.clinic.attention import (
    HeadsReshaped,
    MaskAfterSoftmax,
    NoCausalMask,
    NoRoot,
    SteppedAttention,
    with_attention,
)
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import token_cross_entropy

HEALTHY = "healthy"


class PositionsTwice(Transformer):
    """Adds each position's vector to the stream, and adds it again."""

    def _embed(
        self, tokens: Tensor, table: nn.Embedding, positions: nn.Module, first: int = 0
    ) -> Tensor:
        x = positions(self.config.d_model**0.5 * table(tokens), first=first)
        return self.dropout(positions(x, first=first))


class NoPositions(Transformer):
    """Adds no position to the stream."""

    def _embed(
        self, tokens: Tensor, table: nn.Embedding, positions: nn.Module, first: int = 0
    ) -> Tensor:
        return self.dropout(self.config.d_model**0.5 * table(tokens))


def over_real_tokens(logits: Tensor, batch: Batch) -> Tensor:
    """Return the mean loss of a real token."""
    return token_cross_entropy(logits, batch.target_out, batch.target_mask)


def over_all_places(logits: Tensor, batch: Batch) -> Tensor:
    """Return the mean loss of a place, padding included."""
    return F.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten())


def unshifted(batch: Batch) -> Batch:
    """Give the decoder the very tokens that it should say."""
    return replace(batch, target_in=batch.target_out)


def without_source_mask(batch: Batch) -> Batch:
    """Take the source's padding for words."""
    return replace(batch, source_mask=torch.ones_like(batch.source_mask))


def unchanged(batch: Batch) -> Batch:
    """Return a batch as it is."""
    return batch


@dataclass(frozen=True)
class Pipeline:
    """How a network is built, fed, taught and asked. The defaults are the healthy pipeline.

    Attributes:
        network: the class of the Transformer.
        attention: the class of all its attentions; None: the package's own.
        fed, decodes: what is made of a batch in training and evaluation, and in decoding.
        loss: the mean that is trained and reported.
        reorders: whether a beam search hands each prefix its own past.
        evaluates: whether dropout is off when the network is asked.
        knows_test: whether the test sentences are among the training sentences.
        steps_of_rate: training steps for one step of the schedule.
    """

    network: type[Transformer] = Transformer
    attention: type[SteppedAttention] | None = None
    fed: Callable[[Batch], Batch] = unchanged
    decodes: Callable[[Batch], Batch] = unchanged
    loss: Callable[[Tensor, Batch], Tensor] = over_real_tokens
    reorders: bool = True
    evaluates: bool = True
    knows_test: bool = False
    steps_of_rate: int = 1

    def build(self, config: TransformerConfig) -> Transformer:
        """Return an untrained network."""
        network = self.network(config)
        if self.attention is not None:
            with_attention(network, self.attention)
        return network


PIPELINES = {
    HEALTHY: Pipeline(),
    "no shift": Pipeline(fed=unshifted),
    "no causal mask": Pipeline(attention=NoCausalMask),
    "mask after softmax": Pipeline(attention=MaskAfterSoftmax),
    "padding in the loss": Pipeline(loss=over_all_places),
    "no root of d_k": Pipeline(attention=NoRoot),
    "heads reshaped": Pipeline(attention=HeadsReshaped),
    "source padding attended": Pipeline(fed=without_source_mask, decodes=without_source_mask),
    "source mask forgotten in decoding": Pipeline(decodes=without_source_mask),
    "dropout on in evaluation": Pipeline(evaluates=False),
    "test sentences in training": Pipeline(knows_test=True),
    "no positions": Pipeline(network=NoPositions),
    "cache not reordered": Pipeline(reorders=False),
    "schedule stepped per epoch": Pipeline(steps_of_rate=30),
    "positions twice": Pipeline(network=PositionsTwice),
}


def taught_alike(disease: str) -> list[str]:
    """Return the diseases under which the same network is trained, this one among them."""
    taught = _taught(PIPELINES[disease])
    return [name for name, pipeline in PIPELINES.items() if _taught(pipeline) == taught]


def _taught(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline with all healthy that is asked of a network and not taught to it."""
    return replace(pipeline, decodes=unchanged, reorders=True, evaluates=True)
