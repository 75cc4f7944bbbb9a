"""Chapter 07: images and text with dense and sparse patterns, at equal steps.

Each variant of the record is a network trained on ``digits`` or ``text`` with one pattern:
``dense``; ``strided`` and ``fixed``, whose heads read both sets; ``window`` and ``block``, the
first set of each alone; ``wide``, a window with at least as many scores as the pattern that suits
the data, strided for images and fixed for text; and, on digits, ``strided_heads`` and
``strided_layers``, the other two ways to bring the sets together.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.attention import SparsePattern, fixed_scores, strided_scores
from bottomup.data import ImageStream, TokenBatch, WindowStream, digit_images, documentation_text
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.curve import Curve
from bottomup.experiments.shared.training import seeded
from bottomup.experiments.sparse_transformers.training.config import DIGITS, TEXT, Config, Task
from bottomup.experiments.sparse_transformers.training.reading import read_by_layer
from bottomup.metrics import bits_per_token
from bottomup.models import SparseTransformer, SparseTransformerConfig
from bottomup.training import History, fit, warmup_then_decay

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
AT_ONCE = 32  # sequences in one step of the evaluation
LAST_STEPS = 20  # over which, at most, the training loss is averaged
PATTERNS = ("dense", "strided", "fixed", "window", "wide", "block")
MERGES = {"strided_heads": "heads", "strided_layers": "layers"}

SMALL = {"d_model": 8, "num_layers": 2, "num_heads": 2, "d_ff": 11, "batch_size": 3, "steps": 4}
PRESETS = {
    "tiny": Config(
        digits=replace(DIGITS, **SMALL, warmup=2, tested=5),
        text=replace(TEXT, **SMALL, warmup=2, tested=3, length=60),
        points=2,
    ),
    "laptop": Config(digits=replace(DIGITS, steps=300), text=replace(TEXT, steps=300)),
    "recorded": Config(),
    "full": Config(
        digits=replace(DIGITS, num_layers=12, steps=8_000, dropout=0.25, learning_rate=1e-3),
        text=replace(
            TEXT, length=1_024, row=32, summary=8, d_model=256, num_layers=8, num_heads=8,
            d_ff=1_024, dropout=0.3, steps=3_000, warmup=300, learning_rate=1e-3,
        ),
    ),
}  # fmt: skip


class Corpus(NamedTuple):
    """What one task trains on and tests, and the bits of a guess that knows only frequencies."""

    stream: ImageStream | WindowStream
    test: Tensor  # [sequence, position]
    vocabulary: int
    baseline: float


def variants(config: Config) -> Sequence[str]:
    """Return the networks that are trained, as data set and pattern."""
    return [
        *(f"digits_{pattern}" for pattern in (*PATTERNS, *MERGES)),
        *(f"text_{pattern}" for pattern in PATTERNS),
    ]


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one network under one seed and measure its bits on the test sequences."""
    name, _, kind = variant.partition("_")
    task: Task = getattr(config, name)
    corpus = load(name, task, trial.seed)
    pattern = pattern_of(name, kind, task)
    model, found = train(task, corpus, pattern, trial, config.points)
    arrays = {}
    if variant == "digits_dense":
        test = corpus.test.to(trial.device)
        found["reading"], weights = read_by_layer(model, test, task.row, config.from_position)
        if trial.seed == 0:
            arrays["weights"] = weights.cpu().half().numpy()
    return Outcome(found, arrays)


def train(
    task: Task,
    corpus: Corpus,
    pattern: SparsePattern,
    trial: Trial,
    points: int,
) -> tuple[SparseTransformer, dict[str, Any]]:
    """Train a network with one pattern; measure its bits on the way, `points` times, and after."""
    model = untrained(task, pattern, corpus.vocabulary, trial.seed).to(trial.device)
    curve = Curve(trial.checkpoint)

    def watch(step: int, history: History) -> None:
        if (step + 1) % max(1, task.steps // points) == 0:
            bits = test_bits(model, corpus.test)
            curve.add(f"step_{step + 1}", bits=bits, seconds=sum(history.seconds))

    history = fit_to(
        corpus, model, task, seed=trial.seed, checkpoint=trial.checkpoint, on_step=watch
    )
    found: dict[str, Any] = {
        "bits": test_bits(model, corpus.test),
        "training_bits": last_bits(history),
        "baseline": corpus.baseline,
        "scores": mean_scores(pattern, task),
        "width": pattern.width,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "curve": curve.points,
    }
    return model, found


def fit_to(
    corpus: Corpus, model: nn.Module, task: Task, *,
    seed: int, checkpoint: Path, on_step: Callable[[int, History], None] | None = None,
) -> History:  # fmt: skip
    """Train a network with AdamW; the rate rises, then falls to 0."""
    return fit(
        model,
        corpus.stream,
        steps=task.steps,
        loss=token_loss,
        optimizer=torch.optim.AdamW(
            model.parameters(), lr=task.learning_rate, betas=(0.9, 0.98), weight_decay=0.01
        ),
        schedule=warmup_then_decay(warmup=task.warmup, steps=task.steps),
        seed=seed,
        checkpoint=checkpoint,
        on_step=on_step,
    )


def last_bits(history: History) -> float:
    """Return the mean loss of the last steps, in bits."""
    last = history.loss[-LAST_STEPS:]
    return sum(last) / len(last) / math.log(2)


def load(name: str, task: Task, seed: int) -> Corpus:
    """Return the data of ``digits`` or ``text``; every seed tests the same sequences."""
    stream_seed = TRAINING_SEEDS + seed
    if name == "digits":
        images = digit_images()
        levels = int(images.training.max()) + 1
        pictures = ImageStream(images.training, batch_size=task.batch_size, seed=stream_seed)
        baseline = frequency_bits(images.training, images.test, levels)
        return Corpus(pictures, images.test[: task.tested], levels, baseline)
    text = documentation_text()
    windows = text.test[: len(text.test) // task.length * task.length].view(-1, task.length)
    spread = torch.linspace(0, len(windows) - 1, min(task.tested, len(windows))).long()
    baseline = frequency_bits(text.training[:, None], text.test[:, None], len(text.characters))
    stream = WindowStream(
        text.training, length=task.length, batch_size=task.batch_size, seed=stream_seed
    )
    return Corpus(stream, windows[spread], len(text.characters), baseline)


def frequency_bits(training: Tensor, test: Tensor, vocabulary: int) -> float:
    """Bits a token if each place is guessed by its frequencies in training, plus a half each.

    Args:
        training: [sequence, place].
        test: likewise.
        vocabulary: number of token types.
    """
    seen = training.T  # [place, sequence]
    counts = torch.full((len(seen), vocabulary), 0.5, dtype=torch.float64)  # [place, token]
    counts.scatter_add_(1, seen, torch.ones(seen.shape, dtype=torch.float64))
    bits = -(counts / counts.sum(dim=1, keepdim=True)).log2()
    return bits.gather(1, test.T).mean().item()


def pattern_of(name: str, kind: str, task: Task) -> SparsePattern:
    """Return a variant's pattern."""
    if kind == "wide":
        own = strided_scores if name == "digits" else fixed_scores
        sizes = (task.row,) if name == "digits" else (task.row, task.summary)
        width = window_with(own(task.length, *sizes).needed, task.length)
        return SparsePattern(kind="window", width=width)
    if kind in MERGES:
        return SparsePattern(kind="strided", width=task.row, merge=MERGES[kind])
    return SparsePattern(kind=kind, width=task.row, summary=task.summary)


def mean_scores(pattern: SparsePattern, task: Task) -> float:
    """Return the pairs of query and key in the pattern, on average over layers and heads."""
    layers, heads = task.num_layers, task.num_heads
    masks = (pattern.mask(task.length, num_heads=heads, layer=layer) for layer in range(layers))
    return sum(int(mask.sum()) for mask in masks) / (layers * heads)


def window_with(scores: int, n: int) -> int:
    """Return the narrowest window over n positions that needs at least so many scores.

    A window of w needs ``w (w + 1) / 2 + (n - w) w``.
    """
    enough = (w for w in range(1, n + 1) if w * (w + 1) // 2 + (n - w) * w >= scores)
    return next(enough)


def untrained(task: Task, pattern: SparsePattern, vocabulary: int, seed: int) -> SparseTransformer:
    """Return an untrained network; under one seed all patterns start from the same numbers."""
    with seeded(seed):
        return SparseTransformer(
            SparseTransformerConfig(
                vocabulary=vocabulary,
                length=task.length,
                row=task.row,
                pattern=pattern,
                d_model=task.d_model,
                num_layers=task.num_layers,
                num_heads=task.num_heads,
                d_ff=task.d_ff,
                dropout=task.dropout,
            )
        )


def token_loss(model: nn.Module, batch: TokenBatch) -> Tensor:
    """Mean cross-entropy of every token, in nats."""
    logits = model(batch.sequences).logits
    return F.cross_entropy(logits.flatten(0, 1), batch.sequences.flatten())


def test_bits(model: SparseTransformer, sequences: Tensor) -> float:
    """Bits a token, over all tokens of the sequences."""
    model.eval()
    device = next(model.parameters()).device
    nats = 0.0
    with torch.no_grad():
        for some in sequences.to(device).split(AT_ONCE):
            nats += token_loss(model, TokenBatch(some)).item() * some.numel()
    return bits_per_token(nats, tokens=sequences.numel())
