"""Chapter 09's second interactive figure: a translator's heads, patched at each source position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import (
    HUNDREDTHS,
    check_count,
    check_heads,
    check_mapping,
    in_hundredths,
    short_word,
    short_words,
    weight_array,
)
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array

__all__ = ["PatchedPair", "patching_board"]

FEWEST_WORDS, MOST_WORDS = 2, 10
LONGEST_WORD = 14  # letters that fit above a column
MOST_METRICS = 3
RUNS = {"denoising": "corrupted", "noising": "clean"}  # the run into which something is put


@dataclass(frozen=True, eq=False)
class PatchedPair:
    """Two sentences that differ in a word or two, and what a patch of each part brings.

    Args:
        kind: in what they differ, as the reader chooses it: "number", at most 14 letters.
        clean, corrupted: the words that the encoder reads, equally many, two to ten of at most 14
            letters, the end mark among them.
        written: the target tokens before the one that differs; there may be none.
        answers: the next token after the clean and after the corrupted sentence.
        effects: by direction, "denoising" and "noising", and by metric, what share of the way a
            patch goes, [head + 1, source + 1]: heads in the order of their layers, the last row
            all heads at once, the last column all positions at once. 0: nothing happens; 1: with
            denoising the clean value is back, with noising it is lost.
        weights: by run, "clean" and "corrupted", what each head reads where the answer is written,
            [layer, head, source].
    """

    kind: str
    clean: Sequence[str]
    corrupted: Sequence[str]
    written: Sequence[str]
    answers: tuple[str, str]
    effects: Mapping[str, Mapping[str, ArrayLike | Tensor]]
    weights: Mapping[str, ArrayLike | Tensor]


def patching_board(pairs: Sequence[PatchedPair], metrics: Mapping[str, str]) -> Explorable:
    """Build the figure: what each crossing head carries from each source position.

    The reader chooses a pair of sentences, a direction and a metric. One grid shows the effect of
    each patch, heads by source positions, and one beside it the weights of the same heads in the
    run into which the patch is put; a chosen cell is told in words. Layers and heads are counted
    from 0, as modules are.

    Args:
        pairs: at least one; all with the same one to four layers of one to eight heads.
        metrics: one to three: the key that `PatchedPair.effects` uses, and how the reader sees it.

    Source: Wang et al. (2023), section 3, for patches of paths; Heimersheim and Nanda (2024),
    section 2, for the directions. Used in chapter 09.
    """
    check_count("pairs", pairs, 1)
    check_mapping("metrics", metrics)
    check_count("metrics", metrics, 1, MOST_METRICS)
    shown = [_pair(f"pairs[{number}]", one, list(metrics)) for number, one in enumerate(pairs)]
    layers, heads = check_heads(
        {f"pairs[{n}].weights[{run!r}]": one["weights"][run] for n, one in enumerate(shown)
         for run in RUNS.values()}
    )  # fmt: skip
    names = [f"{layer}.{head}" for layer in range(layers) for head in range(heads)]
    plain = [
        {**one, "weights": {run: part.reshape(len(names), -1).tolist()
                            for run, part in one["weights"].items()}}
        for one in shown
    ]  # fmt: skip
    return Explorable(
        {
            "labels": _labels(),
            "metrics": [{"name": key, "label": label} for key, label in metrics.items()],
            "heads": names,
            "sentences": plain,
        },
        fallback=_fallback(names, plain[0], *next(iter(metrics.items()))),
        name="patching_board",
    )


def _pair(name: str, pair: PatchedPair, metrics: list[str]) -> dict[str, Any]:
    """Return a pair's words, and effects and weights in hundredths."""
    few, most = FEWEST_WORDS, MOST_WORDS
    words = {
        side: short_words(f"{name}.{side}", getattr(pair, side), LONGEST_WORD, few=few, most=most)
        for side in ("clean", "corrupted")
    }
    n = len(words["clean"])
    if len(words["corrupted"]) != n:
        got = len(words["corrupted"])
        raise ValueError(f"{name}.corrupted: expected {n} words as in clean, got {got}")
    if words["clean"] == words["corrupted"]:
        raise ValueError(f"{name}.corrupted: expected another sentence than clean, got the same")
    check_mapping(f"{name}.weights", pair.weights, RUNS.values())
    weights = {
        run: in_hundredths(
            weight_array(f"{name}.weights[{run!r}]", part, axes=f"layer head source={n}")
        )
        for run, part in pair.weights.items()
    }
    rows = int(np.prod(weights["clean"].shape[:2])) + 1
    check_mapping(f"{name}.effects", pair.effects, RUNS)
    effects = {}
    for direction, parts in pair.effects.items():
        place = f"{name}.effects[{direction!r}]"
        check_mapping(place, parts, metrics)
        effects[direction] = {
            metric: _hundredths(f"{place}[{metric!r}]", parts[metric], rows, n + 1)
            for metric in metrics
        }
    return {
        "kind": short_word(f"{name}.kind", pair.kind, LONGEST_WORD),
        **words,
        "written": short_words(f"{name}.written", pair.written, LONGEST_WORD, few=0),
        "answers": short_words(f"{name}.answers", pair.answers, LONGEST_WORD, few=2, most=2),
        "effects": effects,
        "weights": weights,
    }


def _hundredths(name: str, values: ArrayLike | Tensor, rows: int, columns: int) -> list[list[int]]:
    shares: NDArray[np.float64] = finite_array(
        name, values, axes=f"head+1={rows} source+1={columns}"
    )
    hundredths: list[list[int]] = in_hundredths(shares).tolist()
    return hundredths


def _fallback(heads: list[str], pair: dict[str, Any], metric: str, label: str) -> str:
    """Return the effects of denoising by the first metric as a table."""
    rows = [
        (name, [cell(f"{one / HUNDREDTHS:.2f}", weight=min(max(one / HUNDREDTHS, 0), 1))
                for one in row])
        for name, row in zip([*heads, _("all")], pair["effects"]["denoising"][metric], strict=True)
    ]  # fmt: skip
    caption = [
        _("Denoising “{corrupted}” with “{clean}”: share of the {metric} that comes back").format(
            clean=" ".join(pair["clean"]), corrupted=" ".join(pair["corrupted"]), metric=label
        ),
        _("Rows: crossing heads. Columns: source positions."),
    ]
    return table(caption, [*pair["clean"], _("all")], rows)


def _labels() -> dict[str, Any]:
    """Return every label; names in braces are filled in by the script."""
    return {
        "title": _("Patching board"),
        "pair": _("Pair of sentences"),
        "direction": _("Direction"),
        "directions": {"denoising": _("denoising"), "noising": _("noising")},
        "metric": _("Metric"),
        "clean": _("clean"),
        "corrupted": _("corrupted"),
        "next": _("next: “{answer}”"),
        "written": _("Written so far: {words}"),
        "nothing": _("nothing"),
        "head": _("Head {head}"),
        "every_head": _("All heads"),
        "all": _("all"),
        "at": _("at “{word}”"),
        "everywhere": _("at all positions"),
        "effects": _("Effect in hundredths: head rows, source columns"),
        "weights": _("Weights of the {run} run in hundredths"),
        "grid": _("Effects; arrow keys move"),
        "cell": _("{head} {place}: effect {effect}"),
        "cell_weight": _("{head} {place}: effect {effect}, weight {weight}"),
        "reads": _("{head} reads {words}."),
        "quoted": _("“{word}” {weight}"),
        "brings": _(
            "{head} {place}, as in the clean run: {effect} of the {metric} between “{right}” and "
            "“{wrong}” comes back."
        ),
        "loses": _(
            "{head} {place}, as in the corrupted run: {effect} of the {metric} between “{right}” "
            "and “{wrong}” is lost."
        ),
        "puts": _("The head gives this word the weight {weight}."),
        "largest": _(
            "The largest effect of one head at one word is {effect}, of head {name} {place}; the "
            "largest weight is {weight}, of head {other} {there}."
        ),
    }
