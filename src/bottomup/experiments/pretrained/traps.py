"""Traps: the begin mark, means that replace it, an autoencoder on an untrained model."""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.analysis import kept, patched
from bottomup.attention import split_heads
from bottomup.experiments.pretrained.config import Config
from bottomup.experiments.pretrained.lists import drawn_prose, rows
from bottomup.experiments.pretrained.opened import Opened, drawn, states_of
from bottomup.experiments.shared.training import seeded
from bottomup.models import SparseAutoencoder
from bottomup.training import fit_autoencoder


def measure_traps(
    opened: Opened, config: Config, seed: int
) -> tuple[dict[str, float], dict[str, Tensor]]:
    """Return numbers, and arrays by layer and head.

    Args:
        opened: the model.
        config: how many sentences, and the sizes of the autoencoder.
        seed: draws the sentences, the autoencoder and the untrained model.
    """
    texts = drawn_prose(config.sentences, seed)
    arrays = begin_mark(opened, texts)
    metrics = {}
    for name, model in (("trained", opened.encoder), ("untrained", drawn(opened.encoder, seed))):
        found = states_of(Opened(model, opened.pieces), texts)
        middle = found.states[len(model.layers) // 2]
        metrics[f"unexplained_{name}"] = unexplained(middle, config, seed)
    triplets, means = rows("triplets"), mean_updates(opened, texts)
    for whom in ("words", "all"):
        arrays[f"mean_{whom}"] = mean_ablated(opened, means, triplets, whom)
    return metrics, arrays


@torch.no_grad()
def begin_mark(opened: Opened, texts: Sequence[str]) -> dict[str, Tensor]:
    """Return what the begin mark gets and gives, beside what words do.

    ``length_mark`` and ``length_words``: of the update of each layer's MLP. ``weight_mark``: what
    words give it, by layer and head. ``value_mark``, ``value_words``: length of a head's values.
    """
    encoder = opened.encoder
    layers = len(encoder.layers)
    parts = [
        f"layers.{layer}.{part}"
        for layer in range(layers)
        for part in ("feed_forward", "attention.W_V")
    ]
    sums: dict[str, Tensor] = {}
    counts = {"mark": 0, "words": 0}

    def add(name: str, layer: int, value: Tensor) -> None:
        sums.setdefault(name, torch.zeros(layers, *value.shape))[layer] += value

    for _, tokens in opened.batches(texts):
        with kept(encoder, parts) as outputs:
            weights = encoder(tokens, need_weights=True).weights
        counts["mark"] += len(tokens)
        counts["words"] += tokens[:, 1:-1].numel()
        for layer in range(layers):
            heads = encoder.num_heads
            update = outputs[f"layers.{layer}.feed_forward"].norm(dim=-1)
            value = split_heads(outputs[f"layers.{layer}.attention.W_V"], heads).norm(dim=-1)
            add("length_mark", layer, update[:, 0].sum())
            add("length_words", layer, update[:, 1:-1].sum())
            add("value_mark", layer, value[:, :, 0].sum(0))
            add("value_words", layer, value[:, :, 1:-1].sum((0, 2)))
            add("weight_mark", layer, weights[layer][:, :, 1:-1, 0].sum((0, 2)))
    # What words give the mark is a mean over words.
    by_words = ("length_words", "value_words", "weight_mark")
    return {
        name: value / counts["words" if name in by_words else "mark"]
        for name, value in sums.items()
    }


def unexplained(states: Float[Tensor, "token d"], config: Config, seed: int) -> float:
    """Return the share of the variance of held-out states that an autoencoder does not explain."""
    x = states - states.mean(0)
    x = x / x.norm(dim=1).mean() * x.shape[1] ** 0.5
    held_out = torch.arange(len(x)) % 10 == 0
    train, test = x[~held_out], x[held_out]

    def vectors(step: int) -> Tensor:
        draw = torch.Generator().manual_seed(step)
        return train[torch.randint(len(train), (512,), generator=draw)]

    with seeded(seed):
        model = SparseAutoencoder(x.shape[1], config.units, kind="topk", k=config.active)
    fit_autoencoder(
        model,
        vectors,
        steps=config.steps,
        learning_rate=1e-3,
        warmup=config.warmup,
    )
    with torch.no_grad():
        rebuilt, _ = model(test)
    return float((rebuilt - test).square().sum() / (test - test.mean(0)).square().sum())


@torch.no_grad()
def mean_updates(
    opened: Opened, texts: Sequence[str], over: str = "words"
) -> dict[str, Float[Tensor, " d_model"]]:
    """Return the mean update of each layer's MLP: over words, or over all positions (``"all"``)."""
    encoder = opened.encoder
    names = [f"layers.{layer}.feed_forward" for layer in range(len(encoder.layers))]
    sums, count = dict.fromkeys(names, torch.zeros(())), 0
    own = slice(1, -1) if over == "words" else slice(None)
    for _, tokens in opened.batches(texts):
        with kept(encoder, names) as outputs:
            encoder(tokens)
        count += tokens[:, own].numel()
        sums = {name: sums[name] + outputs[name][:, own].sum((0, 1)) for name in names}
    return {name: sums[name] / count for name in names}


@torch.no_grad()
def mean_ablated(
    opened: Opened,
    means: Mapping[str, Tensor],
    triplets: Sequence[Sequence[str]],
    whom: str = "words",
) -> Float[Tensor, "triplet layer"]:
    """Return the margins of paraphrases: intact, and when a layer's MLP adds a mean update.

    Words get it; with ``whom="all"`` the begin and end marks get it too.
    """

    def margin() -> Tensor:
        own, same, other = (opened.vectors(list(each)) for each in zip(*triplets, strict=True))
        return (own * same).sum(-1) - (own * other).sum(-1)

    margins = []
    for name, mean in means.items():

        def put(output: Tensor, mean: Tensor = mean) -> Tensor:
            new = mean.expand_as(output).clone()
            if whom == "words":
                new[:, 0], new[:, -1] = output[:, 0], output[:, -1]
            return new

        with patched(opened.encoder, {name: put}):
            margins.append(margin())
    return torch.stack([margin(), *margins], 1)
