"""Chapter 05: a decoder that reads, at each position, the very token that it should say there."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bottomup.data import Batch
from bottomup.data.minilang import SentencePair
from bottomup.experiments.encoder_decoder.config import Config
from bottomup.experiments.encoder_decoder.training import adam, batches, build
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.recurrent import cross_entropy, last_loss
from bottomup.experiments.shared.translation import load_data, translation_metrics
from bottomup.metrics import bleu
from bottomup.training import fit, warmup_then_decay


def unshifted(batch: Batch) -> Batch:
    """Return the batch with what the decoder should say as what it reads.

    BOS is gone, EOS stands at the end and then the padding, so that the mask fits both. A decoder
    that starts from BOS, as `greedy` does, reads it for the first time.
    """
    return replace(batch, target_in=batch.target_out)


def measure_unshifted(config: Config, trial: Trial) -> dict[str, Any]:
    """Train a Transformer without the shift; measure its loss and what it writes.

    ``loss``: as of the other trainings; what `translation_metrics` gives; and ``chance``: ``bleu``
    and ``exact`` of a guesser who knows a source's length alone, see `shuffled_references`.
    """
    data = load_data(config.corpus_size, config.corpus_seed)
    model = build(config, "transformer", data, trial.seed).to(trial.device)
    stream = batches(config, data, trial.seed)
    history = fit(
        model,
        lambda step: unshifted(stream(step)),
        steps=config.unshifted_steps,
        loss=cross_entropy,
        optimizer=adam(model, "transformer", config.transformer_rate),
        schedule=warmup_then_decay(warmup=config.warmup, steps=config.unshifted_steps),
        seed=trial.seed,
        checkpoint=trial.checkpoint,
    )
    guessed, right = (
        shuffled_references(data.test, trial.seed),
        [list(pair.target) for pair in data.test],
    )
    same = sum(one == other for one, other in zip(guessed, right, strict=True))
    return {
        "loss": last_loss(history),
        **translation_metrics(model, data, config.bins),
        "chance": {"bleu": bleu(guessed, right), "exact": same / len(right)},
    }


def shuffled_references(pairs: Sequence[SentencePair], seed: int) -> list[list[str]]:
    """Return the references in another order: each stays among sources of its length."""
    generator = np.random.default_rng(seed)
    lengths = np.array([len(pair.source) for pair in pairs])
    taken = np.arange(len(pairs))
    for length in np.unique(lengths):
        (places,) = np.nonzero(lengths == length)
        taken[places] = generator.permutation(places)
    return [list(pairs[place].target) for place in taken.tolist()]
