"""Chapter 03: hops that name the content words of a sentence, with and without Lin's penalty.

The question is that of pair retrieval in words: three content words, in the order in which they
stand. The readout is linear. A hop scores each word by its vector and its place alone.
"""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn

from bottomup.attention import StructuredSelfAttention, overlap_penalty
from bottomup.blocks import sinusoidal_positions
from bottomup.data import (
    Labelled,
    LabelledBatch,
    LabelledStream,
    Vocabulary,
    make_labelled_batch,
    minilang,
)
from bottomup.data.minilang import SentencePair, word_class
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.multi_head_attention.config import Config
from bottomup.experiments.shared.training import fit_adam, seeded

CONTENT = ("noun", "verb", "adjective")
NAMED = 3  # content words of a sentence
TRAINING_SEEDS = 100


class HopReader(nn.Module):
    """Read word vectors with positions through hops; a linear readout names the content words.

    ``H = E[word] + P[position]``, ``M = A H``, ``logits = W [M_1 ... M_r] + b``
    """

    def __init__(self, *, vocabulary: int, d_model: int, d_attention: int, hops: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.hops = StructuredSelfAttention(d_model, d_attention, hops)
        self.readout = nn.Linear(hops * d_model, NAMED * vocabulary)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits [batch, NAMED, vocabulary] and weights [batch, hop, position].

        Args:
            tokens: token numbers [batch, position].
            mask: True at the real tokens [batch, position].
        """
        x = self.embedding(tokens)
        x = x + sinusoidal_positions(x.shape[1], x.shape[2], device=x.device, dtype=x.dtype)
        read, weights = self.hops(x, mask[:, None])
        return self.readout(read.flatten(1)).unflatten(1, (NAMED, -1)), weights


def label_content_words(pairs: Sequence[SentencePair], words: Vocabulary) -> list[Labelled]:
    """Label the content words with themselves, in the sentences that have three of them."""
    labelled: list[Labelled] = []
    for pair in pairs:
        places = [i for i, word in enumerate(pair.source) if word_class(word) in CONTENT]
        if len(places) == NAMED:
            tokens = words.encode(pair.source)
            labelled.append((tokens, {place: tokens[place] for place in places}))
    return labelled


def measure_hops(config: Config, hops: int, penalty: float, trial: Trial) -> dict[str, float]:
    """Train a reader with hops under one seed; measure what it names and how its hops read."""
    corpus = minilang.load(config.corpus_size, seed=0)
    words = Vocabulary.build(pair.source for pair in corpus.train)
    with seeded(trial.seed):
        model = HopReader(
            vocabulary=len(words),
            d_model=config.d_model,
            d_attention=config.d_attention,
            hops=hops,
        ).to(trial.device)
    fit_adam(
        model,
        LabelledStream(
            label_content_words(corpus.train, words),
            batch_size=config.batch_size,
            seed=TRAINING_SEEDS + trial.seed,
        ),
        partial(_loss, penalty),
        config,
        trial,
        steps=config.hop_steps,
    )
    held_out = label_content_words(corpus.test, words)
    return {
        "sentences": len(held_out),
        **_reading(model, make_labelled_batch(held_out).to(trial.device)),
    }


def _answers(batch: LabelledBatch) -> Tensor:
    return batch.labels[batch.label_mask].reshape(-1, NAMED)  # [batch, slot], in sentence order


def _loss(penalty: float, model: nn.Module, batch: LabelledBatch) -> Tensor:
    """Mean cross-entropy of the words in nats, and the mean penalty times its coefficient."""
    logits, weights = model(batch.source, batch.source_mask)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), _answers(batch).flatten())
    return loss + penalty * overlap_penalty(weights).mean() if penalty else loss


def _reading(model: HopReader, batch: LabelledBatch) -> dict[str, float]:
    with torch.no_grad():
        logits, weights = model(batch.source, batch.source_mask)
    right = (logits.argmax(dim=-1) == _answers(batch)).cpu().double()
    return {"all": right.prod(dim=1).mean().item(), "each": right.mean().item(), **shape(weights)}


def shape(weights: Tensor) -> dict[str, float]:
    """Describe weights [batch, hop, position].

    ``overlap``: mean of ``a_i · a_j`` over pairs of different hops, 0 for a single hop.
    ``largest``: mean over hops of the largest weight, 1 if all are one-hot.
    ``penalty``: Lin's, mean over sentences.
    """
    hops = weights.shape[1]
    wide = weights.cpu().double()
    products = wide @ wide.transpose(1, 2)
    apart = ~torch.eye(hops, dtype=torch.bool)
    return {
        "overlap": products[:, apart].mean().item() if hops > 1 else 0.0,
        "largest": weights.max(dim=-1).values.cpu().double().mean().item(),
        "penalty": overlap_penalty(weights).cpu().double().mean().item(),
    }
