"""Chapter 04: which part of a layer joins two names, and which one knows the answer.

A model of one layer learns made-up facts by heart: it reads a first and a last name and gives the
attribute at the last name. Then parts are ablated, and linear probes ask which names can be read
off the stream at the last name.

Much of the outcome is built into the task. The last name enters the stream at its own position, the
first name can only come from attention, and neither alone tells the attribute. That attention knows
nothing is not built in: softmax weights depend on both names, and a head can store facts in them.
Hence a control without a feed-forward network, weights that are the same for everybody, all of it
with one head and with several, and with one head whose weights are one half throughout training.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.analysis import ablated, frozen_weights, linear_probe
from bottomup.attention import MultiHeadAttention
from bottomup.blocks import EncoderLayer, LayerNorm
from bottomup.data import Facts, LabelledBatch, held_out, make_facts, make_labelled_batch
from bottomup.data.facts import LAST
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.config import Config
from bottomup.experiments.shared.training import fit_adam, seeded
from bottomup.models import LanguageModel, LanguageModelConfig, top_triggers, value_logits
from bottomup.training import token_cross_entropy

TABLE_SEEDS, RESAMPLE_SEEDS = 300, 400  # apart from the seeds that start the networks
ASKED = ("first", "last", "attribute")  # the columns of Facts.labels
KINDS = ("mean", "resample")
PARTS = ("attention", "feed_forward")


def measure_dissociation(
    config: Config, num_heads: int, trial: Trial, *, even: bool = False
) -> Outcome:
    """Train a network and its control without feed-forward network, ablate and probe.

    With `even` attention reads both names in equal parts, in training too.

    Conditions: ``intact``, ``attention_mean``, ``attention_resample``, ``feed_forward_mean``,
    ``feed_forward_resample``, ``same_weights`` (every person gets the mean attention weights, the
    feed-forward network is left as it is), and ``attention_only``, the control. Of each:
    ``accuracy``, the share of facts named rightly among all words, and what the probes read at the
    stations ``joined``, behind attention, and ``end``, before the last LayerNorm. ``neurons``: as
    `_neuron_metrics`.

    Seed 0 keeps the arrays of `neuron_arrays` of the network with one head.
    """
    facts = draw_table(config, trial.seed)
    train = partial(train_to_recall, config, facts, num_heads, trial, even=even)
    model, control = train(), train(feed_forward=False)
    tokens = facts.tokens.to(trial.device)
    metrics: dict[str, Any] = {"chance": {name: 1 / count for name, count in _classes(facts)}}
    metrics["intact"] = _condition(config, model, facts, trial.seed, nullcontext())
    for part in PARTS:
        for kind in KINDS:
            generator = torch.Generator().manual_seed(RESAMPLE_SEEDS + trial.seed)
            ablation = ablated(
                model, layer=0, part=part, kind=kind, reference=tokens, generator=generator
            )
            metrics[f"{part}_{kind}"] = _condition(config, model, facts, trial.seed, ablation)
    same = frozen_weights(model, layer=0, reference=tokens)
    metrics["same_weights"] = _condition(config, model, facts, trial.seed, same)
    metrics["attention_only"] = _condition(config, control, facts, trial.seed, nullcontext())
    arrays = neuron_arrays(model, facts)
    metrics["neurons"] = _neuron_metrics(arrays)
    return Outcome(metrics, arrays if trial.seed == 0 and num_heads == 1 and not even else {})


def draw_table(config: Config, seed: int) -> Facts:
    """Return the facts of a seed."""
    return make_facts(
        first_names=config.first_names,
        last_names=config.last_names,
        attributes=config.attributes,
        seed=TABLE_SEEDS + seed,
    )


def train_to_recall(
    config: Config,
    facts: Facts,
    num_heads: int,
    trial: Trial,
    *,
    feed_forward: bool = True,
    even: bool = False,
) -> LanguageModel:
    """Train a model of one layer on all facts in every step: what comes after the last name?

    The unembedding is a table of its own: names are never answers, and attributes never questions.
    With `even` all queries stay zero, so that attention reads both names in equal parts.
    """
    with seeded(trial.seed):
        model = LanguageModel(
            LanguageModelConfig(
                vocabulary=len(facts.words),
                max_length=LAST + 1,
                d_model=config.d_model,
                num_layers=1,
                num_heads=num_heads,
                d_ff=config.d_ff,
                tied=False,
                feed_forward=feed_forward,
            )
        )
    if even:
        read_evenly(model)
    model, batch = model.to(trial.device), make_labelled_batch(facts.examples())
    path = trial.checkpoint.with_suffix(".full.pt" if feed_forward else ".attention.pt")
    own = replace(trial, checkpoint=path)
    fit_adam(model, lambda step: batch, recall_loss, config, own, steps=config.steps)
    path.unlink(missing_ok=True)
    return model


def read_evenly(model: LanguageModel) -> None:
    """Set the queries of every layer to zero for good: all scores are 0, all weights alike."""
    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            for parameter in module.W_Q.parameters():
                nn.init.zeros_(parameter)
                parameter.requires_grad_(False)


def recall_loss(model: nn.Module, batch: LabelledBatch) -> Tensor:
    """Mean cross-entropy of the attributes, over the whole vocabulary, in nats."""
    return token_cross_entropy(model(batch.source).logits, batch.labels, batch.label_mask)


@torch.no_grad()
def recalled(model: LanguageModel, facts: Facts) -> float:
    """Return the share of facts whose attribute gets the largest logit among all words."""
    tokens = facts.tokens.to(model.embedding.weight.device)
    told = model(tokens).logits[:, LAST].argmax(dim=1).cpu()
    return (told == facts.attribute_tokens[facts.labels[:, 2]]).cpu().double().mean().item()


@torch.no_grad()
def stations(model: LanguageModel, facts: Facts) -> dict[str, Float[Tensor, "fact d_model"]]:
    """Return the stream at the last name: ``joined`` behind attention's write, and at the ``end``.

    Without a feed-forward network the two are the same.
    """
    seen: list[Tensor] = []
    layer, tokens = model.layers[-1], facts.tokens.to(model.embedding.weight.device)
    around = getattr(layer, "around_feed_forward", None)
    if around is None:
        end = model(tokens).states[-1][:, LAST]
        return {"joined": end, "end": end}
    handle = around.norm.register_forward_pre_hook(lambda _norm, inputs: seen.append(inputs[0]))
    try:
        end = model(tokens).states[-1][:, LAST]
    finally:
        handle.remove()
    return {"joined": seen[0][:, LAST], "end": end}


def neuron_arrays(model: LanguageModel, facts: Facts) -> dict[str, np.ndarray]:
    """Return what an inspector of neurons shows.

    - ``names`` [fact], ``attributes`` [attribute]: words; ``facts`` [fact]: place of each one's
      attribute.
    - ``activations`` [fact, neuron]: at the last name. ``active`` [neuron]: share of the facts for
      which it is above 0.
    - ``effects`` [neuron, attribute]: what each value vector adds to the attributes' logits
      (`value_logits`), less its mean over the attributes, which no softmax sees.
    - ``triggers`` [neuron, 8]: facts that activate it most, the strongest first.
    """
    layer = model.layers[-1]
    if not isinstance(layer, EncoderLayer):
        raise TypeError(f"model: expected an EncoderLayer at its end, got {type(layer).__name__}")
    norm = model.final_norm if isinstance(model.final_norm, LayerNorm) else None
    joined = stations(model, facts)["joined"]
    with torch.no_grad():
        read = layer.around_feed_forward.read(joined)
        activations = layer.feed_forward.activations(read).cpu()
        triggers = top_triggers(layer.feed_forward, read, count=min(8, len(facts))).place.cpu()
        U = model.embedding.weight if model.unembedding is None else model.unembedding.weight
        attributes = facts.attribute_tokens.to(U.device)
        effects = value_logits(layer.feed_forward, U[attributes], norm=norm).cpu()
    return {
        "names": np.array(facts.names),
        "attributes": np.array(facts.attributes),
        "facts": facts.labels[:, 2].numpy().astype(np.int16),
        "activations": activations.numpy().astype(np.float32),
        "active": (activations > 0).float().mean(dim=0).numpy(),
        "effects": (effects - effects.mean(dim=1, keepdim=True)).numpy().astype(np.float32),
        "triggers": triggers.numpy().astype(np.int16),
    }


def _condition(
    config: Config,
    model: LanguageModel,
    facts: Facts,
    seed: int,
    ablation: AbstractContextManager[None],
) -> dict[str, Any]:
    with ablation:
        accuracy, found = recalled(model, facts), stations(model, facts)
    joined = _probed(config, found["joined"], facts, seed)
    same = torch.equal(found["joined"], found["end"])
    end = joined if same else _probed(config, found["end"], facts, seed)
    return {"accuracy": accuracy, "joined": joined, "end": end}


def _probed(config: Config, vectors: Tensor, facts: Facts, seed: int) -> dict[str, Any]:
    """Read first name, last name and attribute off the vectors, with probes fitted to them.

    A quarter of the people is held out. Each of their names occurs in training, in other
    combinations, so what a probe knows about a person it has put together from the parts.
    """
    test = held_out(facts, seed=seed)
    probe = partial(linear_probe, shuffles=config.shuffles, seed=seed)
    found = {}
    for column, (name, classes) in enumerate(_classes(facts)):
        labels = facts.labels[:, column]
        result = probe(
            vectors[~test],
            labels[~test],
            test_features=vectors[test],
            test_labels=labels[test],
            classes=classes,
        )
        found[name] = {"accuracy": result.accuracy, "control": result.control}
    return found


def _classes(facts: Facts) -> list[tuple[str, int]]:
    counts = (len(facts.first_names), len(facts.last_names), len(facts.attributes))
    return list(zip(ASKED, counts, strict=True))


def _neuron_metrics(arrays: dict[str, np.ndarray]) -> dict[str, float]:
    """Say how often neurons are active, and whether key and value speak of the same attribute.

    ``agree``: share of neurons whose strongest trigger has the attribute that their value promotes
    most. ``chance``: the same for neurons that are told apart by neither.
    """
    activations = arrays["activations"]
    promoted = arrays["effects"].argmax(axis=1)
    strongest = arrays["facts"][activations.argmax(axis=0)]
    return {
        "active": float(arrays["active"].mean()),
        "agree": float((promoted == strongest).mean()),
        "chance": 1 / len(arrays["attributes"]),
    }
