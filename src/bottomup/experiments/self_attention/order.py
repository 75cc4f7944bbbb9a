"""Chapter 02: what attention without positions knows of them, asked of random symbols.

The symbols are drawn independently and there is no token that marks the beginning, so that nothing
in a sequence tells a position but what the network itself makes of it.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn

from bottomup.analysis import linear_probe
from bottomup.data import LabelledBatch
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.self_attention.config import Config
from bottomup.experiments.shared.training import fit_adam, seeded
from bottomup.models import AttentionOnly, AttentionOnlyConfig
from bottomup.training import token_cross_entropy

LAYERS = 2
TRAINING_SEEDS, EVALUATION_SEED, PROBE_SEED = 100, 7, 8
EVALUATED, PROBED = 500, 200  # sequences
SHUFFLES = 2


def measure_order(config: Config, trial: Trial) -> dict[str, object]:
    """Train a causal network and one that reads everything to tell positions, without being told.

    Beside it: a linear probe on the last layer of the same networks before training.
    """
    found: dict[str, object] = {"chance": 1 / config.positions}
    for name, causal in (("causal", True), ("full", False)):
        model = _network(config, causal, trial.seed).to(trial.device)
        found[f"{name}_probe"] = _probe(config, model, trial.seed, trial.device)
        own = replace(trial, checkpoint=trial.checkpoint.with_suffix(f".{name}.pt"))
        stream = _positions_stream(config, TRAINING_SEEDS + trial.seed)
        fit_adam(model, stream, label_cross_entropy, config, own, steps=config.order_steps)
        own.checkpoint.unlink(missing_ok=True)
        found[name] = _accuracy(config, model, trial.device)
    return found


def label_cross_entropy(model: nn.Module, batch: LabelledBatch) -> Tensor:
    """Mean cross-entropy of the labels of a batch, in nats; padding is masked."""
    logits = model(batch.source, batch.source_mask[:, None]).logits
    return token_cross_entropy(logits, batch.labels, batch.label_mask)


def _network(config: Config, causal: bool, seed: int) -> AttentionOnly:
    with seeded(seed):
        return AttentionOnly(
            AttentionOnlyConfig(
                vocabulary=config.symbols,
                outputs=config.positions,
                d_model=config.d_model,
                num_layers=LAYERS,
                positions="none",
                causal=causal,
            )
        )


def _positions_stream(config: Config, seed: int) -> Callable[[int], LabelledBatch]:
    def batch(step: int) -> LabelledBatch:
        return _numbered(config, config.batch_size, seed=1_000_000 * seed + step)

    return batch


def _numbered(config: Config, count: int, *, seed: int) -> LabelledBatch:
    """Return random sequences, each position labelled with its number."""
    generator = torch.Generator().manual_seed(seed)
    shape = (count, config.positions)
    everywhere = torch.ones(shape, dtype=torch.bool)
    return LabelledBatch(
        source=torch.randint(config.symbols, shape, generator=generator),
        source_mask=everywhere,
        labels=torch.arange(config.positions).expand(shape),
        label_mask=everywhere,
    )


def _accuracy(config: Config, model: AttentionOnly, device: torch.device) -> dict[str, float]:
    batch = _numbered(config, EVALUATED, seed=EVALUATION_SEED).to(device)
    with torch.no_grad():
        told = model(batch.source).logits.argmax(dim=-1)
    right = (told == batch.labels).cpu().double()
    called_first = told == 0
    distance = (told - batch.labels).abs().cpu().double()
    return {
        "accuracy": right.mean().item(),
        "first_accuracy": right[:, 0].mean().item(),
        "first_precision": called_first[:, 0].sum().item() / max(1, called_first.sum().item()),
        "distance": distance.mean().item(),
    }


def _probe(
    config: Config, model: AttentionOnly, seed: int, device: torch.device
) -> dict[str, float]:
    states, labels = [], []
    for batch_seed in (PROBE_SEED + 10 * seed, PROBE_SEED + 10 * seed + 1):
        batch = _numbered(config, PROBED, seed=batch_seed).to(device)
        with torch.no_grad():
            states.append(model(batch.source).states.flatten(0, 1))
        labels.append(batch.labels.flatten())
    result = linear_probe(
        states[0],
        labels[0],
        test_features=states[1],
        test_labels=labels[1],
        classes=config.positions,
        shuffles=SHUFFLES,
    )
    return {"accuracy": result.accuracy, "control": result.control}
