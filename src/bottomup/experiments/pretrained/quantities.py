"""Quantities in the claims on a model that somebody else trained.

There is one set of weights, so that a verdict rests on resampled lists: of the people, pairs or
triplets, as many as there are, drawn with replacement a thousand times.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from bottomup.experiments.engine.record import Record

RESAMPLES = 1_000
LINES = 200  # of the comparison with other libraries
HEAD = 4  # the fifth of layer 1, by its number from 0
WAYS = ("full", "last", "sum", "blind")  # to find a fact, in the order of the record's columns

Values = tuple[float, ...]


def names(record: Record) -> dict[str, Any]:
    """Return how many people, words and heads there are."""
    metrics = record.runs[0]["metrics"]
    return {
        "lines": LINES,
        "persons": metrics["names"]["people"],
        "two_pieces": metrics["names"]["people_of_two_pieces"],
        "tokens": metrics["layers"]["tokens"],
        "triplets": len(_array(record, "layers/paraphrase_table")),
        "facts": len(_array(record, "refuted/facts_right")),
        "pronouns": len(_array(record, "refuted/it")),
        "heads": _array(record, "traps/weight_mark").size,
    }


def _array(record: Record, name: str) -> np.ndarray:
    variant, key = name.split("/")
    return np.asarray(record.arrays[f"{variant}/{record.seeds[0]}/{key}"], dtype=float)


def _resampled(rows: np.ndarray, of: Callable[[np.ndarray], float]) -> Values:
    """Return a number of each resampled list of rows."""
    draws = np.random.default_rng(0).integers(len(rows), size=(RESAMPLES, len(rows)))
    return tuple(float(of(rows[draw])) for draw in draws)


def mean(record: Record, name: str) -> Values:
    """Return the mean of an array's rows, which are numbers."""
    return _resampled(_array(record, name), np.mean)


def beyond_table(record: Record) -> Values:
    """Return the share of right professions by the sentence vector, less that by the table."""
    both = _array(record, "names/right") - _array(record, "names/right_table")
    return _resampled(both, np.mean)


def by_mlps(record: Record, part: str) -> Values:
    """Return what the MLPs of all layers but the last add to a part, less what attention adds."""
    steps = np.diff(_array(record, f"names/part_{part}"), axis=1)[:, :-2]
    return _resampled(steps[:, 1::2].sum(1) - steps[:, 0::2].sum(1), np.mean)


def by_attention(record: Record, part: str) -> Values:
    """Return what attention adds to a part in all layers but the last, less what the MLPs add."""
    return tuple(-value for value in by_mlps(record, part))


def at_the_end(record: Record, part: str) -> Values:
    """Return a part of the score at the last station."""
    return _resampled(_array(record, f"names/part_{part}")[:, -1], np.mean)


def weight_gap(record: Record) -> Values:
    """Return the weights of the head between names of one person, less those of mixed names."""
    gap = _array(record, "names/weight_real") - _array(record, "names/weight_mixed")
    return _resampled(gap[:, HEAD], np.mean)


def lost_by_head(record: Record) -> Values:
    """Return the share of the person that is lost when the head is frozen."""
    return _lost(record, "person_head_frozen", lambda lost: lost[HEAD])


def lost_by_other_head(record: Record) -> Values:
    """Return the largest share of the person that any other head of the layer takes."""
    return _lost(record, "person_head_frozen", lambda lost: np.delete(lost, HEAD).max())


def kept_by_other_heads(record: Record) -> Values:
    """Return the share of the person that the worst loss of another head leaves."""
    return tuple(1 - value for value in lost_by_other_head(record))


def first_layer_above_others(record: Record) -> Values:
    """Return what is lost by freezing layer 1, less the most that is lost by another layer."""
    return _lost(record, "person_layer_frozen", lambda lost: lost[0] - lost[1:].max())


def lost_by_mlps(record: Record) -> Values:
    """Return the share of the person that is lost when every MLP adds its mean."""
    return _lost(record, "person_mlps_mean", lambda lost: lost[0])


def _lost(record: Record, name: str, of: Callable[[np.ndarray], float]) -> Values:
    intact = _array(record, "names/person")
    cut = _array(record, f"names/{name}").reshape(len(intact), -1)
    both = np.column_stack([intact, cut])

    def share(rows: np.ndarray) -> float:
        kept = rows.mean(0)
        return of(1 - kept[1:] / kept[0])

    return _resampled(both, share)


def told_apart(record: Record, kind: str) -> Values:
    """Return how often the head's weight of a pair exceeds that of a mixed pair (AUC)."""
    pairs = _array(record, f"words/{kind}_weight")[:, HEAD]
    mixed = _array(record, f"words/{kind}_mixed_weight")[:, HEAD]
    over = (pairs[:, None] > mixed).mean(1) + (pairs[:, None] == mixed).mean(1) / 2
    return _resampled(over, np.mean)


def rank_gain(record: Record) -> Values:
    """Return by what factor the head's dictionary ranks a partner before the table's cosine."""
    gain = _array(record, "words/compounds_cosine_rank") - _array(record, "words/compounds_rank")
    return _resampled(gain, lambda rows: np.exp(rows.mean()))


def not_negative(record: Record) -> Values:
    """Return the share of opposites whose product in the table is not negative."""
    return _resampled(_array(record, "words/opposites_product") >= 0, np.mean)


def median_cosine(record: Record) -> Values:
    """Return the median cosine of opposites in the table."""
    return _resampled(_array(record, "words/opposites_cosine"), np.median)


def paraphrases_gained(record: Record) -> Values:
    """Return the share of paraphrases that are nearer at the last station, less in the table."""
    return _gained("layers/paraphrase_layers", "layers/paraphrase_table", record)


def _gained(upper: str, lower: str, record: Record) -> Values:
    right = [_array(record, name)[:, -1] > 0 for name in (upper, lower)]
    return _resampled(right[0].astype(float) - right[1], np.mean)


def neighbours_rise(record: Record) -> Values:
    """Return by how much the share of common neighbours rises from the embedding to its peak."""
    both = _neighbours(record)
    return _resampled(both, lambda rows: rows.mean(0).max() - rows.mean(0)[0])


def neighbours_fall(record: Record) -> Values:
    """Return by how much that share falls from its peak to the last layer."""
    both = _neighbours(record)
    return _resampled(both, lambda rows: rows.mean(0).max() - rows.mean(0)[-1])


def _neighbours(record: Record) -> np.ndarray:
    left, right = (_array(record, f"layers/neighbours_{side}") for side in ("left", "right"))
    return np.asarray((left + right) / 2)  # [type, station]


def by_other_mean(record: Record, where: str = "traps/mean") -> Values:
    """Return what an MLP's mean costs at words, less what it costs with the marks.

    The worst layer's loss in the share of paraphrases that are nearer.

    Args:
        record: of this room, or of the one that asks again.
        where: the arrays. Of ``marks/mean_over``, the second is a mean over all positions, which
            words get.
    """
    words, everything = (_array(record, f"{where}_{whom}") > 0 for whom in ("words", "all"))
    both = np.concatenate([words, everything], axis=1).astype(float)
    layers = words.shape[1]

    def worst(rows: np.ndarray) -> float:
        kept = rows.mean(0)
        lost = [kept[at] - kept[at + 1 : at + layers].min() for at in (0, layers)]
        return lost[1] - lost[0]

    return _resampled(both, worst)


def longest_update(record: Record) -> Values:
    """Return how many times as long as at words an update at the begin mark is, at most."""
    return tuple(
        float(
            (
                record.arrays[f"traps/{seed}/length_mark"]
                / record.arrays[f"traps/{seed}/length_words"]
            ).max()
        )
        for seed in record.seeds
    )


def heads_on_mark(record: Record) -> Values:
    """Return the share of heads that take more than .4 of a word's weight for the begin mark."""
    return tuple(
        float((record.arrays[f"traps/{seed}/weight_mark"] > 0.4).mean()) for seed in record.seeds
    )


def short_values(record: Record) -> Values:
    """Return, of those heads, how many times as long values at words are: the median.

    0 where no head is one of them.
    """
    found = []
    for seed in record.seeds:
        weights, mark, words = (
            record.arrays[f"traps/{seed}/{name}"]
            for name in ("weight_mark", "value_mark", "value_words")
        )
        ratios = (words / mark)[weights > 0.4]
        found.append(float(np.median(ratios)) if ratios.size else 0.0)
    return tuple(found)


def last_change(record: Record) -> Values:
    """Return the change of the last layer, less the largest change of another layer."""
    runs = (run["metrics"]["layers"] for run in record.runs)
    found = []
    for metrics in runs:
        changes = [value for name, value in metrics.items() if name.startswith("change_")]
        found.append(changes[-1] - max(changes[:-1]))
    return tuple(found)


def best_it(record: Record) -> Values:
    """Return the mean turn of the head that turns most, chosen on the other half of the pairs."""
    turned = _array(record, "refuted/it")
    flat = turned.reshape(len(turned), -1)
    halves = flat[0::2], flat[1::2]
    chosen = [half[:, other.mean(0).argmax()] for half, other in (halves, halves[::-1])]
    return _resampled(np.concatenate(chosen), np.mean)


def found_more(record: Record, way: str, other: str) -> Values:
    """Return how often a person's own fact is found in one way, less in another."""
    right = _array(record, "refuted/facts_right")
    return _resampled(right[:, WAYS.index(way)] - right[:, WAYS.index(other)], np.mean)
