"""Chapter 05: Table 3 of Vaswani et al. (2017) in small, and the details that the paper leaves out.

Every model sees the same batches under one seed, for the same number of steps, and differs from the
base model in one choice. Measured on the test sentences: the negative log-likelihood of the
reference, BLEU and exact match. Those that Table 3 changes in opposite directions, dropout and
smoothed labels, are also trained on few sentences, which they see many times.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from bottomup.data import Batch, BatchStream, Pair, make_batch
from bottomup.experiments.encoder_decoder.table.variants import (
    Config,
    build,
    is_small,
    is_smoothed,
)
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.recurrent import DECODED_AT_ONCE, cross_entropy, last_loss
from bottomup.experiments.shared.training import fit_adam
from bottomup.experiments.shared.translation import load_data, translation_metrics
from bottomup.training import (
    evaluating,
    smoothed_cross_entropy,
    token_cross_entropy,
)

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters

TABLE = (
    "base", "heads_1", "heads_16", "narrow_keys", "layers_1", "layers_4", "d_ff_64", "dropout",
    "smoothing", "learned_positions", "shared_layers",
)  # fmt: skip
DETAILS = (
    "post_norm", "post_norm_final", "dropout_updates", "no_biases", "shared_none"
)  # fmt: skip
FEW_SENTENCES = ("small", "small_dropout", "small_smoothing")
ALL = (*TABLE, *DETAILS, *FEW_SENTENCES)

PRESETS = {
    "tiny": Config(
        variants=ALL,
        corpus_size=300,
        small_corpus=40,
        bins=((4, 9), (10, 20)),
        d_model=16,
        d_ff=32,
        d_narrow=1,
        tokens_per_batch=40,
        steps=3,
        warmup=2,
    ),
    "laptop": Config(variants=("base", "heads_1", "smoothing"), steps=300),
    "recorded": Config(variants=ALL),
    "full": Config(variants=ALL, steps=6_000),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one variant under one seed and measure its translations.

    ``nll``: see `negative_log_likelihood`. ``loss``: the training loss of the last steps, smoothed
    where the variant is. ``parameters``: those that are trained. ``epochs``: how often the training
    sentences were seen. The rest is what `translation_metrics` gives.
    """
    data = load_data(config.corpus_size, config.corpus_seed)
    pairs = data.train[: config.small_corpus] if is_small(variant) else data.train
    batches = BatchStream(
        pairs, tokens_per_batch=config.tokens_per_batch, seed=TRAINING_SEEDS + trial.seed
    )
    model = build(
        config,
        variant,
        trial.seed,
        source_vocabulary=len(data.source_words),
        target_vocabulary=len(data.target_tokens),
    ).to(trial.device)

    def smoothed(model: nn.Module, batch: Batch) -> Tensor:
        return smoothed_cross_entropy(
            model(batch).logits, batch.target_out, batch.target_mask, smoothing=config.smoothing
        )

    loss = smoothed if is_smoothed(variant) else cross_entropy
    history = fit_adam(model, batches, loss, config, trial, steps=config.steps, betas=(0.9, 0.98))
    metrics = {
        "nll": negative_log_likelihood(model, data.encode(data.test)),
        "loss": last_loss(history),
        "parameters": trained_parameters(model),
        "epochs": config.steps / batches.steps_per_epoch,
    }
    return Outcome(metrics | translation_metrics(model, data, config.bins))


def negative_log_likelihood(model: nn.Module, pairs: Sequence[Pair]) -> float:
    """Return the mean of ``-log p(token)`` over all target tokens, EOS included, in nats.

    Each token is predicted from the source and the true tokens before it, without dropout, and
    never smoothed. Its exponential is the perplexity of a token.
    """
    device = next(model.parameters()).device
    total, tokens = 0.0, 0
    with torch.no_grad(), evaluating(model):
        for start in range(0, len(pairs), DECODED_AT_ONCE):
            batch = make_batch(pairs[start : start + DECODED_AT_ONCE]).to(device)
            mean = token_cross_entropy(model(batch).logits, batch.target_out, batch.target_mask)
            total += mean.item() * batch.tokens
            tokens += batch.tokens
    return total / tokens


def trained_parameters(model: nn.Module) -> int:
    """Return the number of parameters that are not frozen."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
