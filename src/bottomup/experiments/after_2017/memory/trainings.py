"""Chapter 10: networks that copy with a delay, and networks that read text, with and without."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.data import TokenBatch, WindowStream, documentation_text
from bottomup.data.token_batches import generator_of
from bottomup.experiments.after_2017.memory.config import DELAYS, Config
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.training import seeded
from bottomup.models import TransformerXL, TransformerXLConfig, in_segments
from bottomup.training import fit, warmup_then_decay

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
EVALUATION_SEED = 7
EVALUATED = 64  # sequences of the delayed copy
PIECES = 4  # segments of the delayed copy; the last two count


def measure_delay(config: Config, name: str, trial: Trial) -> dict[str, Any]:
    """Train one network to say what stood a delay before; return accuracy and nats."""
    trained = DELAYS[name]
    model = build(
        trial.seed,
        config.symbols,
        config.d_model,
        layers=trained.layers,
        positions=trained.positions,
    ).to(trial.device)
    memory = trained.memory * config.delay
    length = PIECES * config.delay

    def batch(step: int) -> TokenBatch:
        draw = generator_of(TRAINING_SEEDS + trial.seed, step)
        shape = (config.delay_batch, length)
        return TokenBatch(torch.randint(config.symbols, shape, generator=draw))

    fit(
        model,
        batch,
        steps=config.delay_steps,
        loss=lambda model, batch: delayed(model, batch.sequences, config.delay, memory)[0],
        optimizer=torch.optim.AdamW(model.parameters(), lr=config.learning_rate),
        seed=trial.seed,
        checkpoint=trial.checkpoint,
    )
    draw = torch.Generator().manual_seed(EVALUATION_SEED)
    tokens = torch.randint(config.symbols, (EVALUATED, length), generator=draw).to(trial.device)
    with torch.no_grad():
        loss, right = delayed(model, tokens, config.delay, memory)
    return {"nats": loss.item(), "accuracy": right.cpu().double().mean().item()}


def delayed(model: nn.Module, tokens: Tensor, delay: int, memory: int) -> tuple[Tensor, Tensor]:
    """Return the cross-entropy for the symbols `delay` before, and whether they come first.

    Segments are as long as the delay. The last two count, before which the memory has filled.
    """
    counted = slice(2 * delay, None)
    logits = in_segments(model, tokens, segment=delay, memory=memory)[:, counted]
    wanted = tokens.roll(delay, dims=1)[:, counted]
    return F.cross_entropy(logits.mT, wanted), logits.argmax(dim=-1) == wanted


def measure_text(config: Config, remembers: bool, trial: Trial) -> dict[str, Any]:
    """Train one network on text, with a memory of one segment or of none.

    ``at_1``, say: ``bits`` a character where the evaluation remembers one segment; ``early`` and
    ``late``, those of the first eighth and of the last half of each segment. ``training_bits``: of
    the last steps.
    """
    text = documentation_text()
    model = build(trial.seed, len(text.characters), config.d_model, layers=config.num_layers).to(
        trial.device
    )
    memory = config.segment if remembers else 0
    history = fit(
        model,
        WindowStream(
            text.training,
            length=config.pieces * config.segment + 1,
            batch_size=config.batch_size,
            seed=TRAINING_SEEDS + trial.seed,
        ),
        steps=config.steps,
        loss=lambda model, batch: nats(model, batch.sequences, config.segment, memory).mean(),
        optimizer=torch.optim.AdamW(
            model.parameters(), lr=config.learning_rate, betas=(0.9, 0.98), weight_decay=0.01
        ),
        schedule=warmup_then_decay(warmup=max(1, config.steps // 10), steps=config.steps),
        seed=trial.seed,
        checkpoint=trial.checkpoint,
    )
    last = history.loss[-20:]
    found: dict[str, Any] = {"training_bits": sum(last) / len(last) / math.log(2)}
    streams = text.test[: len(text.test) // config.streams * config.streams]
    tokens = streams.view(config.streams, -1)[:, : config.ahead + config.tested + 1].to(
        trial.device
    )
    for segments in config.memories:
        with torch.no_grad():
            each = nats(model, tokens, config.segment, segments * config.segment)
        bits = each[:, config.ahead :].cpu().double() / math.log(2)
        by_place = bits.unflatten(1, (-1, config.segment)).mean(dim=(0, 1))  # [place in segment]
        found[f"at_{segments}"] = {
            "bits": bits.mean().item(),
            "early": by_place[: max(1, config.segment // 8)].mean().item(),
            "late": by_place[config.segment // 2 :].mean().item(),
        }
    return found


def nats(model: nn.Module, tokens: Tensor, segment: int, memory: int) -> Tensor:
    """Return the cross-entropy of each next token, [batch, position]."""
    logits = in_segments(model, tokens[:, :-1], segment=segment, memory=memory)
    return F.cross_entropy(logits.mT, tokens[:, 1:], reduction="none")


def build(
    seed: int, vocabulary: int, d_model: int, *, layers: int, positions: str = "relative"
) -> TransformerXL:
    """Return an untrained network."""
    with seeded(seed):
        return TransformerXL(
            TransformerXLConfig(
                vocabulary=vocabulary,
                d_model=d_model,
                num_layers=layers,
                d_ff=4 * d_model,
                positions=positions,
            )
        )
