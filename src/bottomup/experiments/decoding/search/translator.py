"""Chapter 06: chapter 05's translator, trained for few steps, then decoded in many ways."""

import statistics
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from bottomup.data import BatchStream, Pair
from bottomup.decoding import sampled
from bottomup.experiments.decoding.bleus import WRONG, corpus_bleu
from bottomup.experiments.decoding.search.beams import (
    ROWS_AT_ONCE,
    batches,
    length_ratio,
    measure_beams,
    reference_log_probabilities,
    search_all,
)
from bottomup.experiments.decoding.search.config import NO_PENALTY, Config, steps_of, usual_width
from bottomup.experiments.encoder_decoder.training import kept_model
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.recurrent import cross_entropy, decode, last_loss
from bottomup.experiments.shared.training import fit_adam, seeded
from bottomup.experiments.shared.translation import LONGEST, Data, load_data
from bottomup.metrics import bleu
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import History

TRAINING_SEEDS = 100  # batches and samples come from seeds of their own, apart from the parameters'
SAMPLING_SEEDS = 200
KEPT_SEED = 0  # that of the translator whose parameters the record keeps
SAMPLINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cold": {"temperature": 0.5},
    "top_k": {"top_k": 10},
    "top_p": {"top_p": 0.9},
}


def transformer_config(config: Config, data: Data) -> TransformerConfig:
    """Return chapter 05's translator, with room for the positions that are written and no more."""
    return TransformerConfig(
        source_vocabulary=len(data.source_words),
        target_vocabulary=len(data.target_tokens),
        d_model=config.d_model,
        encoder_layers=config.layers,
        decoder_layers=config.layers,
        num_heads=config.num_heads,
        d_ff=config.d_ff,
        max_length=LONGEST,
    )


def measure_translator(config: Config, name: str, trial: Trial) -> Outcome:
    """Train for the steps in the name, and decode the first test sentences in every way.

    ``loss``: mean of the last fiftieth of the training steps, in nats. ``greedy``: BLEU, exact
    match and ratio of lengths. ``beam`` and what belongs to it: `measure_beams`. ``samples``:
    `measure_samples`. ``bleus.greedy``, ``bleus.beam``: `measure_bleus` of the greedy translations,
    and of those that the usual beam finds without a length penalty.
    """
    data = load_data(config.corpus_size, config.corpus_seed)
    model, history = train(config, name, data, trial)
    pairs = data.encode(data.test[: config.sentences])
    references = [words(data, target) for _, target in pairs]
    greedy = [words(data, row) for row in decode(model, pairs, max_length=LONGEST)]
    searched = search_all(config, model, pairs)
    usual = searched[NO_PENALTY][usual_width(config.beams)]
    right = reference_log_probabilities(model, pairs)
    metrics = {
        "loss": last_loss(history),
        "greedy": quality(greedy, references),
        **measure_beams(config, searched, right, partial(words, data), references),
        "samples": measure_samples(config, model, data, pairs, trial.seed),
        "bleus": {
            "greedy": measure_bleus(greedy, references),
            "beam": measure_bleus([words(data, row) for row in usual.tokens], references),
        },
    }
    keep = trial.seed == KEPT_SEED and steps_of(name) == config.kept
    return Outcome(metrics, kept_model(model, data) if keep else {})


def train(config: Config, name: str, data: Data, trial: Trial) -> tuple[Transformer, History]:
    """Train a translator on the batches of chapter 05's experiment; the rate rises, then falls."""
    with seeded(trial.seed):
        model = Transformer(transformer_config(config, data)).to(trial.device)
    stream = BatchStream(
        data.train, tokens_per_batch=config.tokens_per_batch, seed=TRAINING_SEEDS + trial.seed
    )
    history = fit_adam(
        model, stream, cross_entropy, config, trial, steps=steps_of(name), betas=(0.9, 0.98)
    )
    return model, history


def words(data: Data, numbers: Sequence[int]) -> list[str]:
    """Return the target tokens of some numbers as text."""
    return data.target_tokens.decode(list(numbers))


def quality(translations: list[list[str]], references: list[list[str]]) -> dict[str, float]:
    """Return BLEU, exact match (share of sentences) and the ratio of lengths."""
    same = [one == other for one, other in zip(translations, references, strict=True)]
    return {
        "bleu": bleu(translations, references),
        "exact": statistics.fmean(same),
        "length_ratio": length_ratio(translations, references),
    }


def measure_bleus(translations: list[list[str]], references: list[list[str]]) -> dict[str, float]:
    """Return sacrebleu's score, the right one made at home, and the wrong ones by name."""
    return {
        "sacrebleu": bleu(translations, references),
        "right": corpus_bleu(translations, references),
        **{name: wrong(translations, references) for name, wrong in WRONG.items()},
    }


def measure_samples(
    config: Config, model: Transformer, data: Data, pairs: Sequence[Pair], seed: int
) -> dict[str, dict[str, float]]:
    """Draw translations in every way of `SAMPLINGS`.

    ``bleu``, ``exact``, ``length_ratio``: means over the samples of a sentence. ``distinct``: how
    many of them differ, as a share. ``any_exact``: share of sentences of which one sample is right.
    """
    references = [words(data, target) for _, target in pairs]
    found: dict[str, dict[str, float]] = {}
    for name, options in SAMPLINGS.items():
        drawn = draw(model, pairs, config.samples, SAMPLING_SEEDS + seed, options)
        texts = [[words(data, row) for row in rows] for rows in drawn]
        scores = [quality([of[k] for of in texts], references) for k in range(config.samples)]
        right = (right in of for right, of in zip(references, texts, strict=True))
        found[name] = {
            **{key: statistics.fmean(each[key] for each in scores) for key in scores[0]},
            "distinct": statistics.fmean(len(set(map(tuple, of))) / len(of) for of in texts),
            "any_exact": statistics.fmean(right),
        }
    return found


def draw(
    model: Transformer, pairs: Sequence[Pair], samples: int, seed: int, options: dict[str, Any]
) -> list[list[list[int]]]:
    """Return `samples` translations of each source, drawn with the options of `sampled`."""
    device = next(model.parameters()).device
    generator = torch.Generator(device).manual_seed(seed)
    drawn: list[list[list[int]]] = []
    for batch in batches(model, pairs, max(1, ROWS_AT_ONCE // samples)):
        rows = sampled(
            model,
            batch.source.repeat_interleave(samples, dim=0),
            batch.source_mask.repeat_interleave(samples, dim=0),
            max_length=LONGEST,
            generator=generator,
            **options,
        ).to_lists()
        drawn += [rows[start : start + samples] for start in range(0, len(rows), samples)]
    return drawn
