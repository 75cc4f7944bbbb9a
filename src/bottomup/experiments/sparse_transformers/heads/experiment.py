"""Chapter 07: fixed attention on text, whose heads read the same summaries or each its own.

The variants of the record, networks of the same size from the same start: ``same``, every head
reads its own block and the last c places of every earlier one; ``distinct``, each head has c places
of its own; ``wide``, every head reads what the distinct ones read together, c for each head. The
first two read as many positions a head, the last two reach the same positions.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.attention import SparsePattern
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.sparse_transformers.heads.sets import (
    SHARINGS,
    MaskedHeads,
    head_masks,
    summary_places,
)
from bottomup.experiments.sparse_transformers.training.config import TEXT, Task
from bottomup.experiments.sparse_transformers.training.experiment import (
    AT_ONCE,
    SMALL,
    fit_to,
    last_bits,
    load,
    untrained,
)
from bottomup.models import SparseTransformer
from bottomup.models.sparse_transformer import SparseTransformerLayer

VARIANTS = SHARINGS

# Of a block of 16 the four heads together read 8, so that wide attention is not yet dense.
SHORTER = replace(TEXT, summary=2, steps=700, warmup=70)


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        text: data, network and training; its summary is c, the positions of a block a head reads.
    """

    text: Task = field(default_factory=lambda: SHORTER)


PRESETS = {
    "tiny": Config(text=replace(SHORTER, **SMALL, warmup=2, tested=3, length=64)),
    "laptop": Config(text=replace(SHORTER, steps=300, warmup=30)),
    "recorded": Config(),
    "full": Config(text=replace(SHORTER, steps=6_000, warmup=600, dropout=0.2)),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one network under one seed; measure its bits on the test sequences.

    ``first_half``, ``second_half``: bits of the characters in either half of the blocks.
    ``scores``: pairs of query and key of a head. ``reached``: pairs that some head reads.
    """
    task = config.text
    corpus = load("text", task, trial.seed)
    model = start(task, variant, corpus.vocabulary, trial.seed)
    history = fit_to(
        corpus, model.to(trial.device), task, seed=trial.seed, checkpoint=trial.checkpoint
    )
    mask = masks(task, variant)
    bits = position_bits(model, corpus.test)
    early = torch.arange(task.length) % task.row < task.row // 2
    return Outcome(
        {
            "bits": bits.mean().item(),
            "first_half": bits[early].mean().item(),
            "second_half": bits[~early].mean().item(),
            "training_bits": last_bits(history),
            "baseline": corpus.baseline,
            "scores": int(mask.sum()) / task.num_heads,
            "reached": int(mask.any(dim=0).sum()),
        }
    )


def masks(task: Task, sharing: str) -> Tensor:
    """Return what each head of every layer reads: [head, query, key]."""
    places = summary_places(sharing, task.row, task.summary, task.num_heads)
    return head_masks(task.length, task.row, places)


def start(task: Task, sharing: str, vocabulary: int, seed: int) -> SparseTransformer:
    """Return an untrained network; under one seed all start from the same numbers."""
    fixed = SparsePattern(kind="fixed", width=task.row, summary=task.summary)
    model = untrained(task, fixed, vocabulary, seed)
    for layer in cast(Iterable[SparseTransformerLayer], model.layers):
        layer.add_module("attention", MaskedHeads(layer.attention, masks(task, sharing)))
    return model


def position_bits(model: SparseTransformer, sequences: Tensor) -> Tensor:
    """Return the bits that each position's token needs, on average over sequences: [position]."""
    model.eval()
    nats = torch.zeros(sequences.shape[1], dtype=torch.float64)
    with torch.no_grad():
        for some in sequences.split(AT_ONCE):
            tokens = some.to(model.start.device)
            logits = model(tokens).logits.transpose(1, 2)  # [sequence, token type, position]
            nats += F.cross_entropy(logits, tokens, reduction="none").sum(dim=0).cpu().double()
    return nats / (len(sequences) * math.log(2))
