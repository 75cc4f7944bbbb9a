"""Chapter 06: what a beam search finds at each width and length penalty, beside the reference."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from bottomup.data import Batch, Pair, make_batch
from bottomup.decoding import BeamDecoded, BeamStep, beam_search
from bottomup.experiments.decoding.bleus import sentence_bleus
from bottomup.experiments.decoding.search.config import NO_PENALTY, Config, usual_width
from bottomup.experiments.shared.translation import LONGEST
from bottomup.metrics import bleu
from bottomup.models import Transformer
from bottomup.training import evaluating
from bottomup.training.device import in_float64

ROWS_AT_ONCE = 2_000
Words = Callable[[Sequence[int]], list[str]]
TOLERANCE = 1e-4  # nats; rounding in float32 is smaller by far, so a difference above it is real


@dataclass(frozen=True)
class Found:
    """What a search found, for each sentence.

    Attributes:
        tokens: token numbers, without BOS and EOS.
        log_probability: log P of the sequence, EOS included, in nats.
        ended: whether EOS was reached.
        proved: whether no sequence has a higher log P (`proved_best`); nothing without a trace.
    """

    tokens: list[list[int]]
    log_probability: list[float]
    ended: list[bool]
    proved: list[bool]


def search_all(
    config: Config, model: Transformer, pairs: Sequence[Pair]
) -> dict[str, dict[int, Found]]:
    """Search with every length penalty and every width; the widest one without a penalty is traced.

    Returns:
        What was found, by penalty and width.
    """
    return {
        alpha: {
            width: search(model, pairs, width, float(alpha), trace=_is_widest(config, alpha, width))
            for width in config.beams
        }
        for alpha in config.alphas
    }


def measure_beams(
    config: Config,
    searched: dict[str, dict[int, Found]],
    right: Sequence[float],
    words: Words,
    references: list[list[str]],
) -> dict[str, Any]:
    """Return what the chapter's curves show of the searches.

    ``beam.<alpha>.<width>``: see `_quality`, and for alpha 0 also ``search_errors``, the share of
    sentences for which a sequence of higher probability is known: one that another width found with
    alpha 0, or the reference. ``proved``: share of sentences for which the widest beam's result is
    proved to be the best of all sequences; for these, the search errors are all there are.
    ``reference``: its mean log P, and the share of sentences in which it exceeds the widest beam's.
    ``wider.<narrow>_<wide>``: see `_wider`.

    Args:
        config: its widths and penalties.
        searched: from `search_all`.
        right: log P of each reference.
        words: gives the tokens of numbers.
        references: the references' tokens.
    """
    plain = searched[NO_PENALTY]
    quality = {
        alpha: {
            width: _quality([words(row) for row in found.tokens], references, found)
            for width, found in by_width.items()
        }
        for alpha, by_width in searched.items()
    }
    known = [right, *(found.log_probability for found in plain.values())]
    best = [max(of_sentence) for of_sentence in zip(*known, strict=True)]
    for width, found in plain.items():
        quality[NO_PENALTY][width]["search_errors"] = _share_above(best, found.log_probability)
    widest = plain[config.beams[-1]]
    return {
        "beam": quality,
        "proved": statistics.fmean(widest.proved),
        "reference": {
            "log_probability": statistics.fmean(right),
            "above_widest": _share_above(right, widest.log_probability),
        },
        "wider": {
            f"{narrow}_{wide}": _wider(plain[narrow], plain[wide], words, references)
            for narrow, wide in contrasts(config.beams)
        },
    }


def _is_widest(config: Config, alpha: str, width: int) -> bool:
    return alpha == NO_PENALTY and width == config.beams[-1]


def contrasts(beams: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of widths that are compared: of the first, the usual one and the widest."""
    usual = usual_width(beams)
    return [(beams[0], usual), (usual, beams[-1]), (beams[0], beams[-1])]


def search(
    model: Transformer, pairs: Sequence[Pair], width: int, alpha: float, *, trace: bool = False
) -> Found:
    """Search for a translation of each source; with `trace`, say which is proved to be the best."""
    parts = Found([], [], [], [])
    for batch in batches(model, pairs, max(1, ROWS_AT_ONCE // width)):
        found = beam_search(
            model,
            batch.source,
            batch.source_mask,
            beam=width,
            max_length=LONGEST,
            length_penalty=alpha,
            trace=trace,
        )
        parts.tokens.extend(sequences[0] for sequences in found.to_lists())
        parts.log_probability.extend(found.log_probabilities[:, 0].tolist())
        parts.ended.extend(found.ended[:, 0].tolist())
        if trace:
            parts.proved.extend(proved_best(found).tolist())
    return parts


def batches(model: Transformer, pairs: Sequence[Pair], size: int) -> Iterator[Batch]:
    """Give the pairs in batches of at most `size`, in their order, on the model's device."""
    device = next(model.parameters()).device
    for start in range(0, len(pairs), size):
        yield make_batch(pairs[start : start + size]).to(device)


def proved_best(found: BeamDecoded) -> Tensor:
    """Say for each source whether a search with alpha 0 provably found the most probable sequence.

    A prefix never gains probability. So no sequence is better than the result, if no prefix that
    the search dropped was. All sequences that the search allows are meant: those that end in time.

    Args:
        found: of a search with alpha 0 and a trace.

    Returns:
        [batch], True where it is proved.
    """
    if found.steps is None:
        raise ValueError("found: expected a search with trace=True, got one without steps")
    dropped = torch.full_like(found.log_probabilities[:, 0], -torch.inf)
    for step in found.steps:
        dropped[step.source] = torch.maximum(dropped[step.source], _best_dropped(step))
    return found.ended[:, 0] & (dropped <= found.log_probabilities[:, 0])


def _best_dropped(step: BeamStep) -> Tensor:
    """Return a bound for log P of all continuations that were dropped in a step, [row]."""
    kept = step.continued | step.ended
    listed = step.log_probability.masked_fill(kept, -torch.inf).amax(dim=1)
    # What is not even among the candidates lies below the last of them.
    return torch.maximum(listed, step.log_probability[:, -1])


def reference_log_probabilities(model: Transformer, pairs: Sequence[Pair]) -> list[float]:
    """Return ``log P(reference | source)`` of each pair in nats, EOS included."""
    found: list[float] = []
    with torch.no_grad(), evaluating(model):
        for batch in batches(model, pairs, ROWS_AT_ONCE):
            logs = in_float64(model(batch).logits).log_softmax(dim=-1)
            at = batch.to(logs.device)
            said = logs.gather(-1, at.target_out[..., None])[..., 0]
            found += said.masked_fill(~at.target_mask, 0.0).sum(dim=1).tolist()
    return found


def _quality(
    translations: list[list[str]], references: list[list[str]], found: Found
) -> dict[str, float]:
    """Return BLEU, exact match and what else describes the translations of one search.

    ``length_ratio``: tokens written for each token of the references. ``log_probability``: mean
    log P in nats. ``empty``, ``unended``: shares of sentences.
    """
    same = [one == other for one, other in zip(translations, references, strict=True)]
    return {
        "bleu": bleu(translations, references),
        "exact": statistics.fmean(same),
        "length_ratio": length_ratio(translations, references),
        "log_probability": statistics.fmean(found.log_probability),
        "empty": statistics.fmean(not translation for translation in translations),
        "unended": statistics.fmean(not ended for ended in found.ended),
    }


def length_ratio(translations: list[list[str]], references: list[list[str]]) -> float:
    """Return the number of tokens written for each token of the references."""
    return sum(map(len, translations)) / sum(map(len, references))


def _share_above(ones: Sequence[float], others: Sequence[float]) -> float:
    pairs = zip(ones, others, strict=True)
    return statistics.fmean(one > other + TOLERANCE for one, other in pairs)


def _wider(
    narrow: Found,
    wide: Found,
    words: Words,
    references: list[list[str]],
) -> dict[str, float]:
    """Compare, sentence by sentence, what a wider beam found with what a narrower one found.

    ``raised``, ``lowered``: shares of sentences in which it found a higher, or a lower, log P.
    ``log_probability``: the mean difference in nats. Of all sentences, those in which log P is
    higher and the sentence's BLEU lower (``raised_worse``), equal (``raised_equal``) or higher
    (``raised_better``), and those in which log P is higher and an exact translation is lost
    (``raised_lost``) or won (``raised_won``).
    """
    before, after = ([words(row) for row in found.tokens] for found in (narrow, wide))
    raised = [
        one > other + TOLERANCE
        for one, other in zip(wide.log_probability, narrow.log_probability, strict=True)
    ]
    gains = [
        one - other
        for one, other in zip(
            sentence_bleus(after, references), sentence_bleus(before, references), strict=True
        )
    ]
    exact = [
        (one == right) - (other == right)
        for one, other, right in zip(after, before, references, strict=True)
    ]
    both = list(zip(raised, gains, exact, strict=True))
    return {
        "raised": statistics.fmean(raised),
        "lowered": _share_above(narrow.log_probability, wide.log_probability),
        "log_probability": statistics.fmean(wide.log_probability)
        - statistics.fmean(narrow.log_probability),
        "raised_worse": statistics.fmean(up and gain < 0 for up, gain, _ in both),
        "raised_equal": statistics.fmean(up and gain == 0 for up, gain, _ in both),
        "raised_better": statistics.fmean(up and gain > 0 for up, gain, _ in both),
        "raised_lost": statistics.fmean(up and won < 0 for up, _, won in both),
        "raised_won": statistics.fmean(up and won > 0 for up, _, won in both),
    }
