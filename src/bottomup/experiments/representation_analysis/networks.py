"""Chapter 08: one encoder, three objectives, the same sentences in the same order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.data import Batch, BatchStream, MaskedBatch, MaskedStream, make_batch
from bottomup.experiments.representation_analysis.config import (
    Config,
    language_model_config,
    transformer_config,
)
from bottomup.experiments.representation_analysis.text import Text
from bottomup.experiments.shared.recurrent import cross_entropy
from bottomup.experiments.shared.training import seeded
from bottomup.models import LanguageModel, MaskedLanguageModel, Transformer, copy_encoder
from bottomup.training import evaluating, fit, warmup_then_decay

Network = LanguageModel | MaskedLanguageModel | Transformer
Stream = Callable[[int], Batch | MaskedBatch]
States = Sequence[Tensor]  # one [batch, position, d_model] for each station

# Batches and corruptions come from seeds of their own, apart from those of the parameters.
BATCHES, CORRUPTIONS, HELD_OUT = 100_000, 200_000, 300_000
# The second start of a seed, with which the first one is compared.
STARTS = (0, 50_000)
# Networks that read no token behind the one they are at, and those that ask for hidden tokens.
CAUSAL, MASKED = ("lm", "mlm_left"), ("mlm", "mlm_left")
BATCH_OF_TEST = 100  # sentences
AT_ONCE = 2_048  # tokens in one step of the evaluation


@dataclass(frozen=True)
class Start:
    """The seed of the parameters and of the order of the sentences."""

    seed: int

    @classmethod
    def of(cls, seed: int, number: int) -> "Start":
        """Return the first start of a seed of the record, number 0, or the second, number 1."""
        return cls(STARTS[number] + seed)


def untrained(config: Config, text: Text, objective: str, start: Start) -> Network:
    """Return a network as it starts; with one start all objectives begin with one encoder."""
    with seeded(start.seed):
        kind = LanguageModel if objective in CAUSAL else MaskedLanguageModel
        encoder = kind(language_model_config(config, len(text.words)))
        if objective != "mt":
            return encoder
        translator = Transformer(
            transformer_config(config, len(text.words), len(text.target_tokens))
        )
        copy_encoder(encoder, translator)
        return translator


def train(
    config: Config,
    text: Text,
    objective: str,
    start: Start,
    device: torch.device,
    checkpoint: Path | None = None,
) -> Network:
    """Train a network on an objective."""
    model = untrained(config, text, objective, start).to(device)
    fit(
        model,
        batches(config, text, objective, start),
        steps=config.steps,
        loss=LOSSES[objective],
        optimizer=torch.optim.AdamW(
            model.parameters(), lr=config.learning_rate, betas=(0.9, 0.98), weight_decay=0.0
        ),
        schedule=warmup_then_decay(warmup=config.warmup, steps=config.steps),
        seed=start.seed,
        checkpoint=checkpoint,
        checkpoint_every=400,
    )
    return model.eval()


def batches(config: Config, text: Text, objective: str, start: Start) -> Stream:
    """Return the batches of a start: for every objective the same sentences at the same step."""
    sentences = BatchStream(
        text.train, tokens_per_batch=config.tokens_per_batch, seed=BATCHES + start.seed
    )
    return objective_stream(text, objective, sentences, CORRUPTIONS + start.seed)


def objective_stream(text: Text, objective: str, sentences: BatchStream, seed: int) -> Stream:
    """Return the sentences as an objective asks for them: corrupted under a seed for MLM."""
    if objective not in MASKED:
        return sentences
    return MaskedStream(sentences, mask_id=text.mask_id, vocabulary=len(text.words), seed=seed)


def next_token_loss(model: nn.Module, batch: Batch) -> Tensor:
    """Mean cross-entropy of the next source token, in nats; the first one is not predicted."""
    logits = model(batch.source).logits
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), batch.source[:, 1:].flatten())


def masked_loss(model: nn.Module, batch: MaskedBatch) -> Tensor:
    """Mean cross-entropy of the chosen original tokens, in nats."""
    logits = model(batch.corrupted).logits
    return F.cross_entropy(logits[batch.chosen], batch.original[batch.chosen])


LOSSES: dict[str, Callable[[nn.Module, Any], Tensor]] = {
    "lm": next_token_loss,
    "mlm": masked_loss,
    "mlm_left": masked_loss,
    "mt": cross_entropy,
}
# How many tokens of a batch each of them predicts.
PREDICTED: dict[str, Callable[[Any], int]] = {
    "lm": lambda batch: batch.source[:, 1:].numel(),
    "mlm": lambda batch: batch.tokens,
    "mlm_left": lambda batch: batch.tokens,
    "mt": lambda batch: batch.tokens,
}


def held_out_loss(text: Text, objective: str, model: Network, seed: int) -> float:
    """Return the loss on the sentences that are measured, in nats for each token predicted."""
    device = next(model.parameters()).device
    sentences = BatchStream(text.test, tokens_per_batch=AT_ONCE, seed=HELD_OUT)
    stream = objective_stream(text, objective, sentences, HELD_OUT + seed)
    total = predicted = 0.0
    with evaluating(model), torch.no_grad():
        for step in range(sentences.steps_per_epoch):
            batch = stream(step)
            count = PREDICTED[objective](batch)
            total += count * LOSSES[objective](model, batch.to(device)).item()
            predicted += count
    return total / predicted


def states_of(model: nn.Module, tokens: Tensor) -> States:
    """Return the stream of a language model or of an encoder at every station."""
    if isinstance(model, Transformer):
        return model.encoder_states(tokens, torch.ones_like(tokens, dtype=torch.bool))
    return cast(LanguageModel, model)(tokens).states


def layers_of(model: Network) -> nn.ModuleList:
    """Return the layers of a language model or of an encoder."""
    return model.encoder_layers if isinstance(model, Transformer) else model.layers


def test_batches(text: Text, device: torch.device) -> list[Tensor]:
    """Return the measured sentences as token numbers, each tensor of one length, EOS at its end."""
    by_length: dict[int, list[tuple[list[int], list[int]]]] = {}
    for source, _ in text.test:
        by_length.setdefault(len(source), []).append((source, []))
    return [
        make_batch(pairs[first : first + BATCH_OF_TEST]).source.to(device)
        for _length, pairs in sorted(by_length.items())
        for first in range(0, len(pairs), BATCH_OF_TEST)
    ]
