"""Chapter 06: test sentences translated greedily and by beam search, scored by sacrebleu."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from sacrebleu.metrics import BLEU
from torch import nn

from bottomup.data import Batch, make_batch
from bottomup.data.joint_bpe import JointBPE
from bottomup.decoding import beam_search, greedy
from bottomup.experiments.decoding.config import Config, Texts
from bottomup.experiments.decoding.corpus import Pairs, load_corpus
from bottomup.experiments.engine.units import Outcome
from bottomup.metrics.text_bleu import TextBLEU, text_bleu
from bottomup.models import Transformer

ROWS = 500  # prefixes in one batch
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # ranks of the sentences that are shown, from worst to best


def translate_greedily(
    model: nn.Module, pieces: JointBPE, sources: Sequence[str], texts: Texts
) -> list[str]:
    """Translate each source; the most probable token at each position."""

    def rows(batch: Batch) -> list[list[int]]:
        length = texts.max_length
        return greedy(
            cast(Any, model), batch.source, batch.source_mask, max_length=length
        ).to_lists()

    return _in_batches(model, pieces, sources, ROWS, rows)


def translate_by_beam(
    model: Transformer,
    pieces: JointBPE,
    sources: Sequence[str],
    config: Config,
    *,
    beam: int,
    penalty: float,
) -> tuple[list[str], float]:
    """Translate each source by beam search; return the texts and their mean log-probability."""
    found: list[float] = []

    def rows(batch: Batch) -> list[list[int]]:
        decoded = beam_search(
            model,
            batch.source,
            batch.source_mask,
            beam=beam,
            max_length=config.max_length,
            length_penalty=penalty,
        )
        found.extend(decoded.log_probabilities[:, 0].tolist())
        return decoded.best().to_lists()

    written = _in_batches(model, pieces, sources, max(1, ROWS // beam), rows)
    return written, statistics.fmean(found)


def _in_batches(
    model: nn.Module,
    pieces: JointBPE,
    sources: Sequence[str],
    size: int,
    decode: Callable[[Batch], list[list[int]]],
) -> list[str]:
    """Decode sources of like length together, and return the texts in the order of `sources`."""
    device = next(model.parameters()).device
    numbers = [pieces.encode(source) for source in sources]
    order = sorted(range(len(sources)), key=lambda index: len(numbers[index]))
    written = [""] * len(sources)
    for start in range(0, len(order), size):
        part = order[start : start + size]
        batch = make_batch([(numbers[index], []) for index in part]).to(device)
        for index, row in zip(part, decode(batch), strict=True):
            written[index] = pieces.decode(row)
    return written


def measure_searches(model: Transformer, pieces: JointBPE, config: Config) -> Outcome:
    """Translate the test sentences by every search of the configuration.

    ``widths.plain`` and ``widths.penalised`` hold a search by beam width, without and with the
    length penalty, ``penalties`` one by a hundred times the exponent. Each search has its ``bleu``,
    mean ``log_probability`` (nats), ``length_ratio`` (words, hypothesis over reference) and
    ``brevity_penalty``. The kept search's texts and counts are arrays, too.
    """
    texts = load_corpus(config.corpus).test[: config.tested]

    def searched(beam: int, penalty: float) -> tuple[list[str], TextBLEU, dict[str, float]]:
        sources = [source for source, _ in texts]
        written, log_probability = translate_by_beam(
            model, pieces, sources, config, beam=beam, penalty=penalty
        )
        scores = scored(written, texts)
        return written, scores, {"log_probability": log_probability} | as_metrics(scores)

    def widths(penalty: float) -> dict[str, dict[str, float]]:
        return {str(beam): searched(beam, penalty)[2] for beam in config.widths}

    written, scores, kept = searched(config.beam, config.length_penalty)
    metrics = {
        "beam": kept,
        "widths": {"plain": widths(0.0), "penalised": widths(config.length_penalty)},
        "penalties": {
            str(round(100 * penalty)): searched(config.beam, penalty)[2]
            for penalty in config.penalties
        },
    }
    return Outcome(metrics, {"beam": np.array(written), "beam_counts": scores.statistics})


def measure_greedy(model: nn.Module, pieces: JointBPE, texts: Texts) -> Outcome:
    """Translate the test sentences greedily.

    ``greedy``: as a search of `measure_searches`, without the probability. ``settings``: the same
    translations by other settings of sacrebleu, with the arguments in the wrong order (``swapped``)
    and as a mean over sentences. Arrays: the translations, their counts, sacrebleu's signature,
    and five pairs of the corpus at fixed ranks of the sentences' own BLEU.
    """
    pairs = load_corpus(texts.corpus).test[: texts.tested]
    written = translate_greedily(model, pieces, [source for source, _ in pairs], texts)
    references = [target for _, target in pairs]
    scores = scored(written, pairs)
    one = BLEU(effective_order=True)
    single = [
        one.sentence_score(text, [right]).score
        for text, right in zip(written, references, strict=True)
    ]
    ranked = np.argsort(np.array(single), kind="stable")
    shown = [int(ranked[int(share * (len(ranked) - 1))]) for share in SHARES]
    settings = {
        "lowercase": BLEU(lowercase=True).corpus_score(written, [references]).score,
        "tokenised_by_blanks": BLEU(tokenize="none").corpus_score(written, [references]).score,
        "tokenised_intl": BLEU(tokenize="intl").corpus_score(written, [references]).score,
        "swapped": text_bleu(references, written).score,
        "mean_over_sentences": statistics.fmean(single),
    }
    arrays = {
        "greedy": np.array(written),
        "greedy_counts": scores.statistics,
        "signature": np.array(scores.signature),
        "shown": np.array(shown),
        "shown_pairs": np.array([pairs[index] for index in shown]),
    }
    return Outcome({"greedy": as_metrics(scores), "settings": settings}, arrays)


def scored(written: Sequence[str], pairs: Pairs) -> TextBLEU:
    """Score translations against the targets of the pairs."""
    return text_bleu(written, [target for _, target in pairs])


def as_metrics(scores: TextBLEU) -> dict[str, float]:
    """Return what a record keeps of a score."""
    words, right = scores.statistics[:, :2].sum(axis=0)
    return {
        "bleu": scores.score,
        "length_ratio": float(words / right),
        "brevity_penalty": scores.brevity_penalty,
    }
