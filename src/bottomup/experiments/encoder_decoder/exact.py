"""Chapter 05: what follows from the Transformer's wiring, on random numbers; nothing is trained."""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.data import UNK, Batch, Pair, make_batch
from bottomup.experiments.self_attention.exact import agreeing_digits
from bottomup.experiments.shared.training import seeded
from bottomup.masks import causal_mask
from bottomup.models import Transformer, TransformerConfig, from_torch, parameter_count, to_torch
from bottomup.training import token_cross_entropy

SOURCE_TYPES, TARGET_TYPES = 17, 19
LENGTHS = ((3, 5), (7, 2), (5, 11))  # source and target tokens of each pair
PAPER_VOCABULARY = 37_000
NORMS: dict[str, dict[str, Any]] = {
    "pre": {"norm": "pre"},
    "post": {"norm": "post"},
    "post_final": {"norm": "post", "final_norm": True},  # what nn.Transformer makes by itself
}


def measure_exact(seed: int, device: torch.device) -> dict[str, Any]:
    """Compare with torch's module and with itself: padding, the future, cached steps; in float64.

    What ends in ``digits`` is the number of decimal places on which two results agree, by the
    place of the norms; ``parity_digits``, ``gradient_digits``, ``padding_digits`` and
    ``cache_digits`` are the least. ``future_changed`` is the largest change of a logit when later
    target tokens change. ``parameters.base`` counts the paper's base model by part.
    """
    generator = torch.Generator().manual_seed(seed)
    pairs = [_random_pair(generator, *lengths) for lengths in LENGTHS]
    measures: dict[str, dict[str, float]] = {}
    for place, (name, choices) in enumerate(NORMS.items()):
        model = random_transformer(seed * len(NORMS) + place, **choices).to(device)
        for measure, value in _measured(model, pairs, device).items():
            measures.setdefault(measure, {})[name] = value
    return {
        **{f"{name}_digits": min(measures[name].values()) for name in measures if name != "future"},
        "future_changed": max(measures["future"].values()),
        "by_norm": measures,
        "parameters": {"base": base_parameters()},
    }


def _measured(model: Transformer, pairs: list[Pair], device: torch.device) -> dict[str, float]:
    batch = make_batch(pairs).to(device)
    logits, gradients = parity(model, batch)
    with torch.no_grad():
        return {
            "parity": logits,
            "gradient": gradients,
            "padding": padding_digits(model, pairs, device),
            "future": future_change(model, batch),
            "cache": cache_digits(model, batch),
        }


def random_transformer(seed: int, **choices: Any) -> Transformer:
    """Return a small float64 model; its gains and biases are random too, so that each counts."""
    config = TransformerConfig(
        source_vocabulary=SOURCE_TYPES,
        target_vocabulary=TARGET_TYPES,
        d_model=12,
        encoder_layers=2,
        decoder_layers=2,
        num_heads=3,
        d_ff=20,
        **choices,
    )
    with seeded(seed):
        model = Transformer(config).double()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.1 * torch.randn_like(parameter))
    return model


def parity(model: Transformer, batch: Batch) -> tuple[float, float]:
    """Return the decimals on which logits, and gradients of every parameter, equal torch's.

    The loss is the cross-entropy of the target tokens. Embeddings and unembedding stand outside
    torch's module; they are computed here a second time, from tables of their own.
    """
    theirs = to_torch(model)
    tables = [
        table.weight.detach().clone().requires_grad_()
        for table in (model.source_embedding, model.target_embedding)
    ]
    ours_logits = model(batch).logits
    torch_logits = _through_torch(theirs, model, tables, batch)
    for logits in (ours_logits, torch_logits):
        token_cross_entropy(logits, batch.target_out, batch.target_mask).backward()
    real = batch.target_mask
    return (
        agreeing_digits(ours_logits.detach()[real], torch_logits.detach()[real]),
        _gradient_digits(model, theirs, tables),
    )


def _through_torch(
    theirs: nn.Transformer, model: Transformer, tables: list[Tensor], batch: Batch
) -> Tensor:
    scale = math.sqrt(theirs.d_model)
    source = model.source_positions(scale * tables[0][batch.source])
    target = model.target_positions(scale * tables[1][batch.target_in])
    y = theirs(
        source,
        target,
        tgt_mask=~causal_mask(target.shape[1], device=target.device),
        src_key_padding_mask=~batch.source_mask,
        memory_key_padding_mask=~batch.source_mask,
    )
    return linear(y, tables[1])


def _gradient_digits(model: Transformer, theirs: nn.Transformer, tables: list[Tensor]) -> float:
    # A model that holds torch's gradients as its parameters has them under our names.
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(_gradient(parameter))
    named = from_torch(
        theirs, source_vocabulary=SOURCE_TYPES, target_vocabulary=TARGET_TYPES
    ).state_dict()
    for name, table in zip(("source_embedding", "target_embedding"), tables, strict=True):
        named[f"{name}.weight"] = _gradient(table)
    return min(
        agreeing_digits(_gradient(parameter), named[name])
        for name, parameter in model.named_parameters()
    )


def _gradient(parameter: Tensor) -> Tensor:
    if parameter.grad is None:
        raise ValueError(f"parameter: expected a gradient, got none of {tuple(parameter.shape)}")
    return parameter.grad


def padding_digits(model: Transformer, pairs: list[Pair], device: torch.device) -> float:
    """Compare each pair's logits among longer pairs with those that it has alone."""
    together = model(make_batch(pairs).to(device)).logits
    found = []
    for row, pair in zip(together, pairs, strict=True):
        alone = model(make_batch([pair]).to(device)).logits[0]
        found.append(agreeing_digits(row[: len(alone)], alone))
    return min(found)


def future_change(model: Transformer, batch: Batch) -> float:
    """Replace each future of the targets in turn; return the largest change of an earlier logit."""
    logits, largest = model(batch).logits, 0.0
    for first in range(1, batch.target_in.shape[1]):
        edited = batch.target_in.clone()
        edited[:, first:] = (edited[:, first:] + 1) % TARGET_TYPES
        past = model(replace(batch, target_in=edited)).logits[:, :first]
        largest = max(largest, (past - logits[:, :first]).abs().max().item())
    return largest


def cache_digits(model: Transformer, batch: Batch) -> float:
    """Compare logits that come one token at a time, from caches, with those of one pass."""
    state, steps = model.start(batch.source, batch.source_mask), []
    for token in batch.target_in.T:
        logits, state, _ = model.step(token, state)
        steps.append(logits)
    real = batch.target_mask
    return agreeing_digits(torch.stack(steps, dim=1)[real], model(batch).logits[real])


def base_parameters() -> dict[str, int]:
    """Count the paper's base model by part; ``all`` is the sum."""
    sizes = {"source_vocabulary": PAPER_VOCABULARY, "target_vocabulary": PAPER_VOCABULARY}
    counts = parameter_count(TransformerConfig.preset("base", **sizes))
    return {**counts, "all": sum(counts.values())}


def _random_pair(generator: torch.Generator, source: int, target: int) -> Pair:
    def tokens(types: int, length: int) -> list[int]:
        return torch.randint(UNK, types, (length,), generator=generator).tolist()

    return tokens(SOURCE_TYPES, source), tokens(TARGET_TYPES, target)
