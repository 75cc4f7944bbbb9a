"""Chapter 03: heads of a trained network are switched off, one after another, without retraining.

Orders are chosen on validation sentences and measured on test sentences. Switching a head off is
what exact pruning of it gives; the ``exact`` part of the experiment compares the two.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.data.minilang import word_class
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.multi_head_attention.config import Config
from bottomup.experiments.multi_head_attention.readers import (
    LAYERS,
    Questions,
    Reader,
    Score,
    train_reader,
)

RANDOM_SEEDS = 200
TOLERATED = 0.05  # loss of accuracy

Head = tuple[int, int]  # layer and number
Scorer = Callable[[Tensor], Score]  # of a head mask [layer, head]


def measure_pruning(config: Config, trial: Trial) -> Outcome:
    """Train a reader and remove its heads; seed 0 keeps what a gallery of heads shows.

    ``best``, ``worst`` and ``random`` hold the test accuracy by the number of heads removed;
    ``falls`` how far each is below that of the whole network when just over half are removed.
    ``tolerated``: the largest number up to which the best order stays within `TOLERATED`;
    ``alone``: the largest fall that one head alone causes.
    """
    reader = train_reader(config, config.pruned_heads, trial)
    heads = [(i, j) for i in range(LAYERS) for j in range(config.pruned_heads)]
    choose, measure = (_scorer(reader, questions) for questions in (reader.validation, reader.test))
    orders = {name: greedy_order(choose, heads, best=name == "best") for name in ("best", "worst")}
    curves = {name: removal_curve(measure, order) for name, order in orders.items()}
    curves["random"] = _random_curve(measure, heads, config.random_orders, trial.seed)
    whole = measure(head_mask(heads, ()))
    alone = {head: measure(head_mask(heads, [head])).accuracy for head in heads}
    half = len(heads) // 2 + 1
    metrics: dict[str, Any] = {
        "accuracy": whole.accuracy,
        "loss": whole.loss,
        "removed": half,
        **{name: dict(enumerate(curve)) for name, curve in curves.items()},
        "falls": {name: whole.accuracy - curve[half] for name, curve in curves.items()},
        "tolerated": tolerated(curves["best"]),
        "alone": whole.accuracy - min(alone.values()),
    }
    arrays = _gallery(config, reader, measure, orders, alone) if trial.seed == 0 else {}
    return Outcome(metrics, arrays)


def head_mask(heads: Sequence[Head], off: Sequence[Head]) -> Tensor:
    """Return a mask [layer, head] that is True at all of `heads` but those that are `off`."""
    mask = torch.zeros(
        *(1 + max(numbers) for numbers in zip(*heads, strict=True)), dtype=torch.bool
    )
    for head in heads:
        mask[head] = head not in off
    return mask


def greedy_order(score: Scorer, heads: Sequence[Head], *, best: bool) -> list[Head]:
    """Remove heads one after another, each time the one that costs least, or most.

    The cost is the accuracy that is lost; between equals, the loss decides, then the head's place.
    """
    order: list[Head] = []
    while len(order) < len(heads):
        left = [head for head in heads if head not in order]
        scores = [score(head_mask(heads, [*order, head])) for head in left]
        worth = [(each.accuracy, -each.loss) for each in scores]
        chosen = max(worth) if best else min(worth)
        order.append(left[worth.index(chosen)])
    return order


def removal_curve(score: Scorer, order: Sequence[Head]) -> list[float]:
    """Return the accuracy with 0, 1, ... and all heads removed, in this order."""
    return [score(head_mask(order, order[:count])).accuracy for count in range(len(order) + 1)]


def tolerated(curve: Sequence[float]) -> int:
    """Return how many heads go before accuracy falls by `TOLERATED` or more for the first time."""
    for count, accuracy in enumerate(curve):
        if curve[0] - accuracy >= TOLERATED:
            return count - 1
    return len(curve) - 1


def _scorer(reader: Reader, questions: Questions) -> Scorer:
    device = questions.batch.source.device
    return lambda mask: questions.score(reader.model, mask.to(device))


def _random_curve(score: Scorer, heads: Sequence[Head], orders: int, seed: int) -> list[float]:
    generator = torch.Generator().manual_seed(RANDOM_SEEDS + seed)
    curves = [
        removal_curve(score, [heads[i] for i in torch.randperm(len(heads), generator=generator)])
        for _ in range(orders)
    ]
    return np.mean(curves, axis=0).tolist()


def _gallery(
    config: Config,
    reader: Reader,
    score: Scorer,
    orders: dict[str, list[Head]],
    alone: dict[Head, float],
) -> dict[str, np.ndarray]:
    """Return what a gallery of heads shows.

    - ``sentences`` [sentence, position]: words, "" behind a sentence's end; ``antecedents``
      [sentence, 2]: places of the pronoun and of its noun; ``right`` [sentence]: it is named.
    - ``weights`` [sentence, layer, head, query, key].
    - ``alone_off`` [layer, head]: test accuracy without this head.
    - ``layer_off`` [layer, 2^heads]: test accuracy without the heads of one layer whose bits are
      set in the number, head h being bit h.
    - ``best``, ``worst`` [removed, 2]: orders, as layer and head.
    """
    shape = (LAYERS, config.pruned_heads)
    return {
        **_shown(config, reader),
        "alone_off": np.array(list(alone.values()), dtype=np.float32).reshape(shape),
        "layer_off": _subsets_off(score, list(alone), shape),
        **{name: np.array(order, dtype=np.int8) for name, order in orders.items()},
    }


def _subsets_off(score: Scorer, heads: list[Head], shape: tuple[int, int]) -> np.ndarray:
    layers, count = shape
    accuracy = np.zeros((layers, 2**count), dtype=np.float32)
    for layer, bits in product(range(layers), range(2**count)):
        off = [(layer, head) for head in range(count) if bits >> head & 1]
        accuracy[layer, bits] = score(head_mask(heads, off)).accuracy
    return accuracy


def _shown(config: Config, reader: Reader) -> dict[str, np.ndarray]:
    questions = reader.test
    rows = short_and_varied(questions, config.kept_sentences)
    longest = max(len(questions.pairs[row].source) for row in rows)
    batch = questions.batch
    with torch.no_grad():
        output = reader.model(batch.source[rows], batch.source_mask[rows][:, None])
    weights = torch.stack(output.weights, dim=1)[..., :longest, :longest]
    sentences = np.full((len(rows), longest), "", dtype="<U16")
    for shown, row in enumerate(rows):
        source = questions.pairs[row].source
        sentences[shown, : len(source)] = source
        weights[shown, :, :, len(source) :] = 0  # what padding reads is nothing to show
    places = [questions.pairs[row].antecedents[0] for row in rows]
    named = [
        int(output.logits[i, pronoun].argmax() == batch.source[row, noun])
        for i, (row, (pronoun, noun)) in enumerate(zip(rows, places, strict=True))
    ]
    return {
        "sentences": sentences,
        "antecedents": np.array(places, dtype=np.int8),
        "right": np.array(named, dtype=np.int8),
        "weights": weights.cpu().numpy().astype(np.float16),
    }


def short_and_varied(questions: Questions, count: int) -> list[int]:
    """Return the rows of the shortest sentences with several nouns; none is asked for twice."""
    pairs = questions.pairs
    several = [
        row
        for row, pair in enumerate(pairs)
        if sum(word_class(word) == "noun" for word in pair.source) > 1
    ]
    rows: list[int] = []
    nouns: set[str] = set()
    for row in sorted(several, key=lambda row: len(pairs[row].source)):
        noun = pairs[row].source[pairs[row].antecedents[0][1]]
        if noun not in nouns and len(rows) < count:
            rows.append(row)
            nouns.add(noun)
    return rows
