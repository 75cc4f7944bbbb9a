"""Chapter 06: training a translator on real sentences, with a curve over processor seconds."""

from typing import Any

import torch
from torch import Tensor, nn

from bottomup.data import Batch, BatchStream
from bottomup.experiments.decoding.config import Recipe, Texts
from bottomup.experiments.decoding.corpus import encode, learn_pieces, load_corpus
from bottomup.experiments.decoding.plain_torch import PlainTransformer
from bottomup.experiments.decoding.translations import translate_greedily
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.curve import Curve
from bottomup.experiments.shared.recurrent import last_loss
from bottomup.experiments.shared.training import seeded
from bottomup.experiments.shared.translation import parameter_count
from bottomup.metrics.text_bleu import text_bleu
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import (
    History,
    Schedule,
    fit,
    inverse_square_root,
    smoothed_cross_entropy,
    warmup_then_decay,
)

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters


def untrained(kind: str, recipe: Recipe, *, max_length: int, seed: int) -> nn.Module:
    """Return an untrained translator of a kind, ``bottomup`` or ``torch``."""
    with seeded(seed):
        if kind == "torch":
            return PlainTransformer(
                vocabulary=recipe.vocabulary,
                d_model=recipe.d_model,
                layers=recipe.layers,
                num_heads=recipe.num_heads,
                d_ff=recipe.d_ff,
                dropout=recipe.dropout,
                norm=recipe.norm,
                max_length=max_length,
            )
        return Transformer(transformer_config(recipe, max_length))


def transformer_config(recipe: Recipe, max_length: int) -> TransformerConfig:
    """Return our translator's configuration: one table for both languages and the logits."""
    return TransformerConfig(
        source_vocabulary=recipe.vocabulary,
        target_vocabulary=recipe.vocabulary,
        d_model=recipe.d_model,
        encoder_layers=recipe.layers,
        decoder_layers=recipe.layers,
        num_heads=recipe.num_heads,
        d_ff=recipe.d_ff,
        norm=recipe.norm,
        dropout=recipe.dropout,
        max_length=max_length,
        shared="all",
    )


def train(
    texts: Texts, recipe: Recipe, kind: str, trial: Trial
) -> tuple[nn.Module, dict[str, Any]]:
    """Train a translator of one kind; return it with its measures and its ``curve``.

    The curve has a point each ``evaluate_every`` steps and at the end: ``seconds`` of training so
    far, the mean ``loss`` of the last steps, and ``bleu`` of greedy translations of the first
    validation sentences. The evaluation's time is not counted.
    """
    corpus, pieces = load_corpus(texts.corpus), learn_pieces(texts.corpus, recipe.vocabulary)
    watched = corpus.validation[: texts.watched]
    batches = BatchStream(
        encode(pieces, corpus.train),
        tokens_per_batch=recipe.tokens_per_batch,
        seed=TRAINING_SEEDS + trial.seed,
        sort_targets=True,
    )
    model = untrained(kind, recipe, max_length=texts.max_length, seed=trial.seed).to(trial.device)
    curve = Curve(trial.checkpoint)

    def watch(step: int, history: History) -> None:
        if (step + 1) % texts.evaluate_every and step + 1 != recipe.steps:
            return
        written = translate_greedily(model, pieces, [source for source, _ in watched], texts)
        score = text_bleu(written, [target for _, target in watched]).score
        curve.add(str(step + 1), seconds=sum(history.seconds), loss=last_loss(history), bleu=score)

    history = fit(
        model,
        batches,
        steps=recipe.steps,
        loss=_smoothed(recipe.smoothing),
        optimizer=torch.optim.Adam(model.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.98)),
        schedule=schedule(recipe),
        seed=trial.seed,
        checkpoint=trial.checkpoint,
        checkpoint_every=texts.evaluate_every,
        on_step=watch,
    )
    measures = {
        "steps": recipe.steps,
        "epochs": recipe.steps / batches.steps_per_epoch,
        "parameters": parameter_count(model),
        "seconds": sum(history.seconds),
        "curve": curve.points,
    }
    return model, measures


def schedule(recipe: Recipe) -> Schedule:
    """Return the recipe's factor of the learning rate."""
    if recipe.decay == "linear":
        return warmup_then_decay(warmup=recipe.warmup, steps=recipe.steps)
    return inverse_square_root(recipe.warmup)


def _smoothed(smoothing: float) -> Any:
    def loss(model: nn.Module, batch: Batch) -> Tensor:
        return smoothed_cross_entropy(
            model(batch).logits, batch.target_out, batch.target_mask, smoothing=smoothing
        )

    return loss
