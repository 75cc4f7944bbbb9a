"""What experiments and a larger training would cost: the numbers of *Run it elsewhere*.

    python -m tools.plans          # every experiment, a minute a preset, into book/plans.json
    python -m tools.plans near     # how near a plan comes: predicted over measured seconds
    python -m tools.plans wmt14    # the paper's base model on WMT14, on paper

The first keeps what the file has. Nothing is trained to its end.
"""

import json
import statistics
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from bench.measure import provenance
from bottomup.data import Batch, make_batch
from bottomup.experiments.encoder_decoder.experiment import PRESETS
from bottomup.experiments.encoder_decoder.training import batches
from bottomup.experiments.engine import registry
from bottomup.experiments.engine.plan import GPUS, Cost, plan, table
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.shared.translation import load_data
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import fit, smoothed_cross_entropy
from bottomup.training.rehearsal import rehearsed

FILE = Path(__file__).parents[1] / "book" / "plans.json"
SECONDS = 60.0  # of a preset


def presets() -> None:
    """Write what the laptop preset and the largest preset of every experiment would cost."""
    found = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {**provenance(), "plans": {}}
    before = found["plans"]
    found["plans"] = {}
    for name in registry.NAMES:
        experiment, kept = registry.experiment(name), before.get(name, {})
        wanted = {"laptop": "laptop", "largest": [*experiment.presets][-1]}
        found["plans"][name] = {
            label: kept.get(label) or planned(experiment, preset, SECONDS)
            for label, preset in wanted.items()
        }
        FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(name, flush=True)


def planned(experiment: Experiment, preset: str, seconds: float) -> dict[str, Any]:
    """Return the sums and the largest numbers of all variants of a preset."""
    costs = list(plan(experiment, experiment.preset(preset), "cpu", limit=seconds))
    ranges = {
        card: zip(*(each.on_gpu(peak) for each in costs), strict=True)
        for card, peak in GPUS.items()
    }
    return {
        "preset": preset,
        "variants": len(costs),
        "trainings": sum(len(each.trainings) for each in costs),
        "parameters": max((t.parameters for each in costs for t in each.trainings), default=0),
        "bytes": max(each.memory for each in costs),
        "hours": in_hours(each.seconds for each in costs),
        "stopped": sum(each.is_cut for each in costs),
        "gpu_hours": {card: [in_hours(end) for end in ends] for card, ends in ranges.items()},
    }


def in_hours(seconds: Iterable[float]) -> float:
    """Return the sum in hours, to four digits."""
    return float(f"{sum(seconds) / 3600:.4g}")


def near() -> None:
    """Print predicted over measured seconds of sixty steps on the mini-language, three times."""
    config = PRESETS["recorded"]
    data = load_data(config.corpus_size, config.corpus_seed)
    words: dict[str, Any] = {
        "source_vocabulary": len(data.source_words),
        "target_vocabulary": len(data.target_tokens),
        "encoder_layers": 2,
        "decoder_layers": 2,
    }
    for width in (32, 128, 256):
        found = []
        for _ in range(3):
            model = Transformer(TransformerConfig(d_model=width, d_ff=4 * width, **words))
            adam = torch.optim.Adam(model.parameters(), lr=1e-3)
            train = partial(fit, model, batches(config, data, 0), loss=loss, optimizer=adam)
            with rehearsed() as heard:
                train(steps=60)
            found.append(heard[0].whole / sum(train(steps=60).seconds))
        print(f"d_model {width}: {statistics.median(found):.2f}, {min(found):.2f}–{max(found):.2f}")


def wmt14() -> None:
    """Print what 100,000 steps of 25,000 tokens a side cost, in ten parts as `fit` accumulates.

    One part is rehearsed. Sentences of 25 pieces hardly count: nearly all operations are the same
    for every token. Then the bytes of the shards, from the data set's card.
    """
    pairs, text = 4_508_785, 1_358_406_800  # and their bytes
    words = {"source_vocabulary": 37_000, "target_vocabulary": 37_000}
    model = Transformer(TransformerConfig.preset("base", **words))
    side = [5] * 24  # and EOS
    batch = make_batch([(side, side)] * 100)
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    with rehearsed() as heard:
        fit(model, lambda step: batch, steps=100_000, loss=loss, optimizer=adam)
    part = heard[0]
    times = {name: 10 * getattr(part, name) for name in ("flops", "operations", "seconds")}
    print(*table([Cost("base", [replace(part, **times)], rest=0.0)], seeds=1), sep="\n")
    print(f"index: {12 * pairs / 1e6:,.0f} MB; pieces, if one is four bytes of text and takes two:",
          f"{text / 4 * 2 / 1e6:,.0f} MB")  # fmt: skip


def loss(model: nn.Module, batch: Batch) -> Tensor:
    """Return the cross-entropy with the paper's smoothing."""
    logits = model(batch).logits
    return smoothed_cross_entropy(logits, batch.target_out, batch.target_mask, smoothing=0.1)


if __name__ == "__main__":
    torch.set_num_threads(1)
    {"presets": presets, "near": near, "wmt14": wmt14}[(*sys.argv[1:], "presets")[0]]()
