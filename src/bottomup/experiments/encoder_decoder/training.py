"""Chapter 05: chapter 01's translator and a Transformer, trained on the same batches and timed."""

import time
from typing import Any

import numpy as np
import torch

from bottomup.data import BatchStream
from bottomup.experiments.encoder_decoder.config import (
    Config,
    Trained,
)
from bottomup.experiments.engine.units import Outcome
from bottomup.experiments.shared.recurrent import cross_entropy, last_loss
from bottomup.experiments.shared.training import seeded
from bottomup.experiments.shared.translation import (
    Data,
    load_data,
    parameter_count,
    translation_metrics,
)
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig, Transformer, TransformerConfig
from bottomup.training import History, fit, warmup_then_decay

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
BETAS = {"gru": (0.9, 0.999), "transformer": (0.9, 0.98)}  # Adam's default, and the paper's


def measure_training(config: Config, name: str, seed: int, device: torch.device) -> Outcome:
    """Train one kind of model at one rate for one budget; measure its translations.

    ``loss``: mean of the last fiftieth of the steps, in nats; ``parameters``; ``cpu_seconds``:
    processor time of the training alone, in seconds of one thread, the one number that another run
    does not repeat; and what `translation_metrics` gives. Under `config.examples_seed` the
    Transformer with the largest budget is kept, see `kept_model`.
    """
    trained = Trained.parse(name)
    data = load_data(config.corpus_size, config.corpus_seed)
    model = build(config, trained.kind, data, seed).to(device)
    history, seconds = _train(config, trained, model, batches(config, data, seed), seed)
    metrics = {
        "loss": last_loss(history),
        "parameters": parameter_count(model),
        "cpu_seconds": seconds,
        **translation_metrics(model, data, config.bins),
    }
    if seed == config.examples_seed and trained == largest(config):
        return Outcome(metrics, kept_model(model, data))
    return Outcome(metrics)


def largest(config: Config) -> Trained:
    """Return the training whose model is kept."""
    return Trained("transformer", config.transformer_rate, config.all_budgets[-1])


def gru_config(config: Config, data: Data) -> Seq2SeqConfig:
    """Return chapter 01's translator with additive attention."""
    return Seq2SeqConfig(
        source_vocabulary=len(data.source_words),
        target_vocabulary=len(data.target_tokens),
        attention="bahdanau",
        d_embedding=config.gru_embedding,
        d_state=config.gru_state,
    )


def transformer_config(config: Config, data: Data) -> TransformerConfig:
    """Return the Transformer that is compared with it: pre-norm, without dropout."""
    return TransformerConfig(
        source_vocabulary=len(data.source_words),
        target_vocabulary=len(data.target_tokens),
        d_model=config.d_model,
        encoder_layers=config.layers,
        decoder_layers=config.layers,
        num_heads=config.num_heads,
        d_ff=config.d_ff,
    )


def build(config: Config, kind: str, data: Data, seed: int) -> RNNSeq2Seq | Transformer:
    """Return an untrained model of a kind, ``gru`` or ``transformer``."""
    with seeded(seed):
        if kind == "gru":
            return RNNSeq2Seq(gru_config(config, data))
        return Transformer(transformer_config(config, data))


def batches(config: Config, data: Data, seed: int) -> BatchStream:
    """Return the batches of a seed, the same for every kind of model."""
    return BatchStream(
        data.train, tokens_per_batch=config.tokens_per_batch, seed=TRAINING_SEEDS + seed
    )


def adam(model: torch.nn.Module, kind: str, rate: str) -> torch.optim.Adam:
    """Return the optimizer of a kind at a learning rate."""
    return torch.optim.Adam(model.parameters(), lr=float(rate), betas=BETAS[kind])


def _train(
    config: Config,
    trained: Trained,
    model: RNNSeq2Seq | Transformer,
    stream: BatchStream,
    seed: int,
) -> tuple[History, float]:
    """Train; return the history and the processor's seconds."""
    optimizer = adam(model, trained.kind, trained.rate)
    schedule = warmup_then_decay(warmup=config.warmup, steps=trained.steps)
    start = time.process_time()
    # Without a checkpoint: a training that went on from one would count its last part alone.
    history = fit(
        model,
        stream,
        steps=trained.steps,
        loss=cross_entropy,
        optimizer=optimizer,
        schedule=schedule,
        seed=seed,
    )
    return history, time.process_time() - start


def kept_model(model: torch.nn.Module, data: Data) -> dict[str, np.ndarray[Any, Any]]:
    """Return a model as arrays: ``weights.<parameter>`` in 16 bits, and its two vocabularies.

    ``source_words`` and ``target_tokens`` list all tokens by number, the special ones first.
    """
    arrays = {
        f"weights.{name}": parameter.detach().cpu().numpy().astype(np.float16)
        for name, parameter in model.named_parameters()
    }
    return arrays | {
        "source_words": np.array(data.source_words.tokens, dtype=np.str_),
        "target_tokens": np.array(data.target_tokens.tokens, dtype=np.str_),
    }
