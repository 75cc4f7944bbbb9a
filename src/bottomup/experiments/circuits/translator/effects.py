"""Chapter 09: patching and ablation on minimal pairs, in a translator that was just trained."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, cast

import torch
from scipy.stats import pearsonr, spearmanr
from torch import Tensor

from bottomup.analysis import direct_attribution, kept, patched, patching_effect, written
from bottomup.blocks import LayerNorm
from bottomup.data import Batch, Pair, make_batch
from bottomup.experiments.circuits.exact import decoder_parts
from bottomup.experiments.circuits.translator.pairs import KINDS, MinimalPair
from bottomup.experiments.shared.recurrent import cross_entropy
from bottomup.experiments.shared.translation import Data
from bottomup.models import Transformer

MEMORY = "encoder_norm"  # what it puts out is the memory
Table = dict[str, float]


@dataclass(frozen=True, eq=False)
class Runs:
    """Minimal pairs as two batches that differ in one source word.

    The decoder reads the tokens before the first difference, the same in both.

    Attributes:
        pairs: in order of kind.
        clean, corrupted: the batches.
        word: position of the changed word, [pair].
        token: position at which the answer is written, [pair].
        answers: numbers of the clean and of the corrupted answer, [pair, 2].
    """

    pairs: tuple[MinimalPair, ...]
    clean: Batch
    corrupted: Batch
    word: Tensor
    token: Tensor
    answers: Tensor

    @classmethod
    def of(cls, pairs: Sequence[MinimalPair], data: Data, device: torch.device) -> "Runs":
        """Make the batches."""
        words, tokens = data.source_words, data.target_tokens

        def batch(sides: Sequence[str]) -> Batch:
            rows: list[Pair] = []
            for pair, side in zip(pairs, sides, strict=True):
                source = getattr(pair, side).source
                rows.append((words.encode(source), tokens.encode(pair.clean.target[: pair.token])))
            return make_batch(rows).to(device)

        return cls(
            tuple(pairs),
            batch(["clean"] * len(pairs)),
            batch(["corrupted"] * len(pairs)),
            torch.tensor([pair.word for pair in pairs], device=device),
            torch.tensor([pair.token for pair in pairs], device=device),
            torch.tensor([tokens.encode(pair.answers) for pair in pairs], device=device),
        )

    def logits(self, model: Transformer, batch: Batch) -> Tensor:
        """Return the logits with which the answers are written, [pair, vocabulary]."""
        rows = torch.arange(len(self.pairs), device=self.token.device)
        return model(batch).logits[rows, self.token]

    def difference(self, logits: Tensor) -> Tensor:
        """Return the clean answer's logit less the corrupted one's, [pair]."""
        clean, corrupted = logits.gather(1, self.answers).unbind(dim=1)
        return clean - corrupted

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of which there are pairs."""
        there = {pair.kind for pair in self.pairs}
        return tuple(kind for kind in KINDS if kind in there)

    def by_kind(self, values: Tensor) -> Table:
        """Return the mean of [pair] by kind."""
        of = [pair.kind for pair in self.pairs]
        rows = {kind: [i for i, own in enumerate(of) if own == kind] for kind in self.kinds}
        return {kind: values[chosen].cpu().double().mean().item() for kind, chosen in rows.items()}


@torch.no_grad()
def both_right(model: Transformer, runs: Runs) -> Tensor:
    """Say of which pairs both sentences get their answers, [pair]."""
    right = torch.ones(len(runs.pairs), dtype=torch.bool, device=runs.token.device)
    for side, batch in enumerate((runs.clean, runs.corrupted)):
        right &= runs.logits(model, batch).argmax(dim=1) == runs.answers[:, side]
    return right


@torch.no_grad()
def memory_effects(model: Transformer, runs: Runs) -> dict[str, Table]:
    """Return the mean effects, by kind, of patching the memory at some positions.

    ``word``: clean memory at the changed word, in the corrupted run; ``rest``: at all others, and
    of them ``stop`` at the full stop, ``end`` at the end mark and ``others``; ``word_lost``: the
    share that is lost with corrupted memory at the changed word in the clean run.
    """
    with kept(model, [MEMORY]) as clean:
        high = runs.difference(runs.logits(model, runs.clean))
    with kept(model, [MEMORY]) as corrupted:
        low = runs.difference(runs.logits(model, runs.corrupted))
    places = torch.arange(runs.clean.source.shape[1], device=runs.word.device)
    length = runs.clean.source_mask.sum(dim=1, keepdim=True)
    word = places == runs.word[:, None]  # [pair, source]
    stop, end = places == length - 2, places == length - 1

    def effect(memory: Mapping[str, Tensor], where: Tensor, batch: Batch) -> Tensor:
        with patched(model, dict(memory), where=where):
            return patching_effect(high, low, runs.difference(runs.logits(model, batch)))

    parts = {"word": word, "rest": ~word, "stop": stop, "end": end, "others": ~(word | stop | end)}
    return {
        **{name: runs.by_kind(effect(clean, at, runs.corrupted)) for name, at in parts.items()},
        "word_lost": runs.by_kind(1 - effect(corrupted, word, runs.clean)),
    }


def crossing_heads(model: Transformer) -> list[str]:
    """Return the names of the heads of all cross-attentions."""
    layers, heads = len(model.decoder_layers), model.config.num_heads
    return [f"decoder_layers.{n}.cross_attention:{h}" for n in range(layers) for h in range(heads)]


def label(part: str) -> str:
    """Return a part's name for a record: ``cross_1_head_2``, ``feed_forward_0``."""
    _, rest = part.split(".", 1)
    number, sublayer = rest.split(".")
    sublayer, _, head = sublayer.partition(":")
    name = f"{sublayer.removesuffix('_attention')}_{number}"
    return f"{name}_head_{head}" if head else name


@torch.no_grad()
def part_effects(model: Transformer, runs: Runs, parts: Sequence[str]) -> dict[str, Tensor]:
    """Return the effect [pair] of what each part put out in the clean run, in the corrupted one."""
    with kept(model, parts) as clean:
        high = runs.difference(runs.logits(model, runs.clean))
    low = runs.difference(runs.logits(model, runs.corrupted))
    found = {}
    for part in parts:
        with patched(model, {part: clean[part]}):
            logits = runs.logits(model, runs.corrupted)
        found[part] = patching_effect(high, low, runs.difference(logits))
    return found


@torch.no_grad()
def means(model: Transformer, runs: Runs, heads: Sequence[str]) -> dict[str, Tensor]:
    """Return the mean of what each head puts out in the clean runs, [d_value]."""
    with kept(model, heads) as outputs:
        model(runs.clean)
    real = runs.clean.target_mask
    return {head: outputs[head][real].mean(dim=0) for head in heads}


def without(
    model: Transformer, mean: Mapping[str, Tensor], heads: Sequence[str]
) -> AbstractContextManager[None]:
    """Put each head's mean in the place of what it puts out."""

    def putting(head: str) -> Callable[[Tensor], Tensor]:
        return lambda output: mean[head].expand_as(output)

    return patched(model, {head: putting(head) for head in heads})


@torch.no_grad()
def ablations(
    model: Transformer, runs: Runs, mean: Mapping[str, Tensor], order: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return what is missing in the clean runs where heads put out their means.

    ``damage``: by head and kind, the share of the way from clean to corrupted; ``right``: by head
    and kind, the share of pairs that keep their answer. ``one_off``, ``two_off``: the latter by
    kind, without the first one or two heads of the kind's order.
    """
    high = runs.difference(runs.logits(model, runs.clean))
    low = runs.difference(runs.logits(model, runs.corrupted))

    def outcome(heads: Sequence[str]) -> tuple[Tensor, Tensor]:
        with without(model, mean, heads):
            logits = runs.logits(model, runs.clean)
        right = logits.argmax(dim=1) == runs.answers[:, 0]
        return 1 - patching_effect(high, low, runs.difference(logits)), right

    each = {head: outcome([head]) for head in mean}
    return {
        "damage": {head: damage for head, (damage, _right) in each.items()},
        "right": {label(head): runs.by_kind(right) for head, (_damage, right) in each.items()},
        "one_off": {kind: runs.by_kind(each[order[kind][0]][1])[kind] for kind in runs.kinds},
        "two_off": {kind: runs.by_kind(outcome(order[kind][:2])[1])[kind] for kind in runs.kinds},
    }


@torch.no_grad()
def damage_on_test(
    model: Transformer, data: Data, mean: Mapping[str, Tensor], sentences: int, device: torch.device
) -> Table:
    """Return how much the loss on test sentences rises, in nats, without each head."""
    batch = make_batch(data.encode(data.test[:sentences])).to(device)

    def loss(block: AbstractContextManager[Any]) -> float:
        with block:
            return cross_entropy(model, batch).item()

    whole = loss(nullcontext())
    return {head: loss(without(model, mean, [head])) - whole for head in mean}


@torch.no_grad()
def largest_weights(model: Transformer, runs: Runs, best: Mapping[str, str]) -> dict[str, Table]:
    """Return by kind how often the largest weight at the answer lies on the changed word.

    ``mean``: of the mean over all crossing heads; ``best``: of the head with the largest patching
    effect of the kind; ``chance``: one over the number of source positions.
    """
    weights = model(runs.clean, need_weights=True).weights
    rows = torch.arange(len(runs.pairs), device=runs.token.device)
    cross = torch.stack([layer[rows, :, runs.token] for layer in weights.cross], dim=1)
    heads = cross.flatten(1, 2)  # [pair, layer and head, source]
    names = crossing_heads(model)
    of_best = torch.tensor([names.index(best[pair.kind]) for pair in runs.pairs])
    read = {"mean": heads.mean(dim=1), "best": heads[rows, of_best.to(rows.device)]}
    found = {name: runs.by_kind(each.argmax(dim=1) == runs.word) for name, each in read.items()}
    positions = runs.clean.source_mask.sum(dim=1)
    return {**found, "chance": runs.by_kind(1 / positions)}


def agreement(effect: Sequence[float], damage: Sequence[float]) -> Table:
    """Compare two measures of the same heads: rank and linear correlation, and the largest one.

    A measure that is the same for all heads has the correlation 0.
    """
    if len(set(effect)) == 1 or len(set(damage)) == 1:
        return {"rank": 0.0, "linear": 0.0, "top": 0.0}
    top = max(range(len(effect)), key=effect.__getitem__)
    return {
        "rank": float(spearmanr(effect, damage).statistic),
        "linear": float(pearsonr(effect, damage).statistic),
        "top": float(top == max(range(len(damage)), key=damage.__getitem__)),
    }


@torch.no_grad()
def attribution(model: Transformer, runs: Runs, device: torch.device) -> Table:
    """Return what direct attribution says of the difference of the two answers' logits.

    ``truth``: its mean; ``off``: the largest difference of the parts' sum from it; ``own_norms``:
    the mean of the sum where each part is normalised by itself; ``scale``: mean relative change of
    the LayerNorm's scale where the last layer's crossing heads put out zeros, one at a time.
    """
    parts = decoder_parts(len(model.decoder_layers))
    added = written(model, parts, lambda: model(runs.clean))
    rows = torch.arange(len(runs.pairs), device=runs.token.device)
    each = torch.stack([part[rows, runs.token] for part in added.values()], dim=-2)
    U = model.target_embedding.weight
    direction = U[runs.answers[:, 0]] - U[runs.answers[:, 1]]
    norm = cast(LayerNorm, model.decoder_norm)
    share, constant = direct_attribution(each, norm, direction)
    truth = runs.difference(runs.logits(model, runs.clean))
    own = (norm(each) * direction[:, None]).sum(dim=(1, 2))
    last = f"decoder_layers.{len(model.decoder_layers) - 1}.cross_attention:"
    scale = _scale(each.sum(dim=1))
    changes = []
    for number, name in enumerate(added):
        if name.startswith(last) and not name.endswith("bias"):
            changes.append((_scale(each.sum(dim=1) - each[:, number]) / scale - 1).abs())
    return {
        "truth": truth.mean().item(),
        "off": (share.sum(dim=1) + constant - truth).abs().max().item(),
        "own_norms": own.mean().item(),
        "scale": torch.stack(changes).mean().item(),
    }


def _scale(x: Tensor) -> Tensor:
    return x.var(dim=-1, correction=0).sqrt()
