"""Chapter 09's second interactive figure: a translator's heads, patched at each source position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from numpy.typing import ArrayLike
from torch import Tensor

from bottomup.explorables.shared import inputs
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import table, weight_cell
from bottomup.i18n import _

__all__ = ["PatchedPair", "patching_board"]

WORDS = (2, 10)
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

    One grid shows the effect of each patch, heads by source positions, and one beside it the
    weights of the same heads in the run into which the patch is put. Layers and heads are counted
    from 0, as modules are.

    Args:
        pairs: at least one; all with the same one to four layers of one to eight heads.
        metrics: one to three: the key that `PatchedPair.effects` uses, and how the reader sees it.

    Source: Wang et al. (2023), section 3, for patches of paths; Heimersheim and Nanda (2024),
    section 2, for the directions. Used in chapter 09.
    """
    inputs.check_count("pairs", pairs, 1)
    inputs.check_mapping("metrics", metrics)
    inputs.check_count("metrics", metrics, 1, MOST_METRICS)
    metrics = {key: _(label) for key, label in metrics.items()}
    shown = [_pair(f"pairs[{number}]", one, list(metrics)) for number, one in enumerate(pairs)]
    weights = {
        f"pairs[{number}].weights[{run!r}]": one["weights"][run]
        for number, one in enumerate(shown)
        for run in RUNS.values()
    }
    layers, heads = inputs.check_heads(weights)
    names = [f"{layer}.{head}" for layer in range(layers) for head in range(heads)]
    for one in shown:
        one["weights"] = {run: part.reshape(len(names), -1).tolist()
                          for run, part in one["weights"].items()}  # fmt: skip
    return Explorable(
        {
            "labels": _labels(),
            "metrics": [{"name": key, "label": label} for key, label in metrics.items()],
            "heads": names,
            "sentences": shown,
        },
        fallback=_fallback(names, shown[0], *next(iter(metrics.items()))),
        name="patching_board",
    )


def _pair(name: str, pair: PatchedPair, metrics: list[str]) -> dict[str, Any]:
    """Return a pair's words, and effects and weights in hundredths."""
    clean, corrupted = (
        inputs.short_words(f"{name}.{side}", getattr(pair, side), LONGEST_WORD, WORDS)
        for side in ("clean", "corrupted")
    )
    n = len(clean)
    if len(corrupted) != n:
        raise ValueError(f"{name}.corrupted: expected {n} words as in clean, got {len(corrupted)}")
    if clean == corrupted:
        raise ValueError(f"{name}.corrupted: expected another sentence than clean, got the same")
    inputs.check_mapping(f"{name}.weights", pair.weights, RUNS.values())
    axes = f"layer head source={n}"
    weights = {
        run: inputs.weights_in_hundredths(f"{name}.weights[{run!r}]", part, axes=axes)
        for run, part in pair.weights.items()
    }
    layers, heads, _source = weights["clean"].shape
    axes = f"head+1={layers * heads + 1} source+1={n + 1}"
    inputs.check_mapping(f"{name}.effects", pair.effects, RUNS)
    effects = {}
    for direction, parts in pair.effects.items():
        shares = inputs.finite_arrays(f"{name}.effects[{direction!r}]", parts, metrics, axes=axes)
        effects[direction] = {key: inputs.in_hundredths(shares[key]).tolist() for key in metrics}
    return {
        "kind": inputs.short_word(f"{name}.kind", pair.kind, LONGEST_WORD),
        "clean": clean,
        "corrupted": corrupted,
        "written": inputs.short_words(f"{name}.written", pair.written, LONGEST_WORD, (0, inf)),
        "answers": inputs.short_words(f"{name}.answers", pair.answers, LONGEST_WORD, (2, 2)),
        "effects": effects,
        "weights": weights,
    }


def _fallback(heads: list[str], pair: dict[str, Any], metric: str, label: str) -> str:
    """Return the effects of denoising by the first metric as a table."""
    effects = pair["effects"]["denoising"][metric]
    rows = [
        (name, [weight_cell(one / inputs.HUNDREDTHS) for one in row])
        for name, row in zip([*heads, _("all")], effects, strict=True)
    ]
    title = _("Denoising “{corrupted}” with “{clean}”: share of the {metric} that comes back")
    sides = {side: " ".join(pair[side]) for side in ("clean", "corrupted")}
    caption = [
        title.format(metric=label, **sides),
        _("Rows: crossing heads. Columns: source positions."),
    ]
    return table(caption, [*pair["clean"], _("all")], rows)


def _labels() -> dict[str, Any]:
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
