"""Exercise: give a corrupted run what one head has read in the clean run."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _


def patch_head(
    clean: torch.Tensor, corrupted: torch.Tensor, real: torch.Tensor, head: int,
    W_O: torch.Tensor, b_O: torch.Tensor, metric: "Metric",
) -> torch.Tensor:  # fmt: skip
    def measured(heads: torch.Tensor) -> torch.Tensor:
        return metric(heads.transpose(1, 2).flatten(2) @ W_O.T + b_O)

    mixed = corrupted.clone()
    mixed[:, head] = torch.where(real[..., None], clean[:, head], corrupted[:, head])
    low = measured(corrupted)
    return (measured(mixed) - low) / (measured(clean) - low)


Metric = Callable[[Tensor], Tensor]  # [batch, position, d_model] -> [batch]


def after_the_output_map(
    clean: Tensor, corrupted: Tensor, real: Tensor, head: int,
    W_O: Tensor, b_O: Tensor, metric: Metric,
) -> Tensor:  # fmt: skip
    """The head's own part of the sum is exchanged, by its columns of W_O."""
    parts = W_O.chunk(clean.shape[1], dim=1)

    def output(heads: Tensor) -> Tensor:
        written = [heads[:, h] @ part.T for h, part in enumerate(parts)]
        return torch.stack(written).sum(dim=0) + b_O

    brought = (clean - corrupted)[:, head] @ parts[head].T * real[..., None]
    low, high = metric(output(corrupted)), metric(output(clean))
    return (metric(output(corrupted) + brought) - low) / (high - low)


def with_a_mask(
    clean: Tensor, corrupted: Tensor, real: Tensor, head: int,
    W_O: Tensor, b_O: Tensor, metric: Metric,
) -> Tensor:  # fmt: skip
    chosen = torch.zeros_like(corrupted, dtype=torch.bool)
    chosen[:, head] = real[:, :, None]
    runs = (clean, corrupted, torch.where(chosen, clean, corrupted))
    columns = W_O.unflatten(1, (clean.shape[1], -1))
    high, low, patched = (
        metric(torch.einsum("bhpc,ohc->bpo", heads, columns) + b_O) for heads in runs
    )
    return (patched - low) / (high - low)


def with_loops(
    clean: Tensor, corrupted: Tensor, real: Tensor, head: int,
    W_O: Tensor, b_O: Tensor, metric: Metric,
) -> Tensor:  # fmt: skip
    effects = []
    for pair in range(len(clean)):
        mixed = corrupted[pair : pair + 1].clone()
        for position in range(clean.shape[2]):
            if real[pair, position]:
                mixed[0, head, position] = clean[pair, head, position]
        low, high, patched = (
            metric(torch.nn.functional.linear(torch.cat([*heads[0]], dim=-1), W_O, b_O)[None])
            for heads in (corrupted[pair : pair + 1], clean[pair : pair + 1], mixed)
        )
        effects.append((patched - low) / (high - low))
    return torch.cat(effects)


# ---- Metrics: named, since a report prints the case


def _counted(output: Tensor) -> Tensor:
    """A weight for each component, so that none can stand for another."""
    return output @ torch.arange(1, output.shape[-1] + 1).to(output)


METRICS: dict[str, Metric] = {
    "the sum of all numbers": lambda output: output.sum(dim=(1, 2)),
    "the sum of all numbers above zero": lambda output: output.relu().sum(dim=(1, 2)),
    "component c counts c + 1 times": lambda output: _counted(output).sum(dim=1),
    "the largest number of each position": lambda output: output.amax(dim=-1).sum(dim=1),
    "a tanh of each component, which counts c + 1 times": lambda output: _counted(
        output.tanh()
    ).sum(dim=1),
}
PLAIN, CUT, COUNTED, LARGEST, BENT = METRICS


# ---- One step in another way: what the mistakes are made of

Answer = Callable[..., Tensor]


def clean_head_where_real(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    return exchanged(clean, corrupted, real, head)


def exchanged(source: Tensor, base: Tensor, real: Tensor, head: int) -> Tensor:
    mixed = base.clone()
    mixed[:, head] = torch.where(real[..., None], source[:, head], base[:, head])
    return mixed


def merged(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def share(patched: Tensor, clean: Tensor, corrupted: Tensor) -> Tensor:
    return (patched - corrupted) / (clean - corrupted)


@dataclass(frozen=True)
class Steps:
    """The steps of a patch; a mistake replaces some of them.

    Args:
        mix: from clean, corrupted, real and head to what the heads have read in the patched run.
        merge: from [batch, head, position, d_value] to [batch, position, head d_value].
        effect: from the metric of the patched, the clean and the corrupted run to the share.
        bias: what the output gets of b_O.
    """

    mix: Callable[[Tensor, Tensor, Tensor, int], Tensor] = clean_head_where_real
    merge: Callable[[Tensor], Tensor] = merged
    effect: Callable[[Tensor, Tensor, Tensor], Tensor] = share
    bias: float = 1.0

    def __call__(
        self, clean: Tensor, corrupted: Tensor, real: Tensor, head: int,
        W_O: Tensor, b_O: Tensor, metric: Metric,
    ) -> Tensor:  # fmt: skip
        """Return the share that the head brings back, for each pair."""

        def measured(heads: Tensor) -> Tensor:
            return metric(self.merge(heads) @ W_O.T + self.bias * b_O)

        mixed = self.mix(clean, corrupted, real, head)
        return self.effect(measured(mixed), measured(clean), measured(corrupted))


RIGHT = Steps()


def with_step(**changed: Any) -> Answer:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


# ---- Mistakes


def noised(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    return exchanged(corrupted, clean, real, head)


def noised_everywhere(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    return exchanged(corrupted, clean, torch.ones_like(real), head)


def lost(patched: Tensor, clean: Tensor, corrupted: Tensor) -> Tensor:
    return (clean - patched) / (clean - corrupted)


def all_heads(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    return torch.where(real[:, None, :, None], clean, corrupted)


def all_others(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    mixed = all_heads(clean, corrupted, real, head)
    mixed[:, head] = corrupted[:, head]
    return mixed


def others_off(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    return exchanged(clean, 0 * corrupted, real, head)


def other_heads_off(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    mixed = torch.zeros_like(corrupted)
    mixed[:, head] = exchanged(clean, corrupted, real, head)[:, head]
    return mixed


def padding_off(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    mixed = corrupted.clone()
    mixed[:, head] = clean[:, head] * real[..., None]
    return mixed


def everywhere(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    return exchanged(clean, corrupted, torch.ones_like(real), head)


def added(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    return exchanged(corrupted + clean, corrupted, real, head)


def removed(clean: Tensor, corrupted: Tensor, real: Tensor, head: int) -> Tensor:
    return exchanged(0 * clean, corrupted, real, head)


def of_the_difference(*, linear_below: bool) -> Answer:
    """The metric of what the patch adds to the output, as if it were linear."""

    def wrong(
        clean: Tensor, corrupted: Tensor, real: Tensor, head: int,
        W_O: Tensor, b_O: Tensor, metric: Metric,
    ) -> Tensor:  # fmt: skip
        def added(heads: Tensor) -> Tensor:
            return metric(merged(heads - corrupted) @ W_O.T)

        def measured(heads: Tensor) -> Tensor:
            return metric(merged(heads) @ W_O.T + b_O)

        patched = exchanged(clean, corrupted, real, head)
        below = added(clean) if linear_below else measured(clean) - measured(corrupted)
        return added(patched) / below

    return wrong


PADDED = _("two pairs of different length")
BOUNDED = _("a metric that is not linear")

DIRECTION = (
    Mistake(
        "noising-instead-of-denoising",
        with_step(mix=noised),
        (
            with_step(mix=noised, effect=lost),
            with_step(mix=noised_everywhere),
            with_step(mix=noised_everywhere, effect=lost),
        ),
        case=BOUNDED,
    ),
    Mistake(
        "all-heads-patched",
        with_step(mix=all_heads),
        (with_step(mix=lambda clean, corrupted, real, head: clean),),
    ),
    Mistake("all-but-the-head", with_step(mix=all_others)),
    Mistake("padding-patched", with_step(mix=everywhere), case=PADDED),
    Mistake(
        "only-padding-patched",
        with_step(
            mix=lambda clean, corrupted, real, head: exchanged(clean, corrupted, ~real, head)
        ),
        case=PADDED,
    ),
    Mistake(
        "corrupted-elsewhere-removed",
        with_step(mix=others_off),
        (with_step(mix=padding_off), with_step(mix=other_heads_off)),
    ),
    Mistake("head-removed", with_step(mix=removed)),
    Mistake("head-added", with_step(mix=added)),
)

FRACTION = (
    Mistake(
        "not-normalised", with_step(effect=lambda patched, clean, corrupted: patched - corrupted)
    ),
    Mistake(
        "divided-by-the-clean-metric",
        with_step(effect=lambda patched, clean, corrupted: (patched - corrupted) / clean),
        (
            with_step(effect=lambda patched, clean, corrupted: (patched - corrupted) / corrupted),
            with_step(effect=lambda patched, clean, corrupted: patched / clean),
        ),
    ),
    Mistake(
        "divided-by-what-is-left",
        with_step(
            effect=lambda patched, clean, corrupted: (patched - corrupted) / (clean - patched)
        ),
    ),
    Mistake("counted-from-the-clean-run", with_step(effect=lost)),
    Mistake(
        "sign-exchanged",
        with_step(
            effect=lambda patched, clean, corrupted: (patched - corrupted) / (corrupted - clean)
        ),
    ),
    Mistake(
        "averaged-over-the-pairs",
        with_step(effect=lambda patched, clean, corrupted: share(patched, clean, corrupted).mean()),
        (
            with_step(
                effect=lambda patched, clean, corrupted: (
                    (patched - corrupted).sum() / (clean - corrupted).sum()
                )
            ),
        ),
    ),
    Mistake(
        "share-of-the-summed-metric",
        with_step(
            effect=lambda patched, clean, corrupted: (
                (patched - corrupted) / (clean - corrupted).sum()
            )
        ),
        (
            with_step(
                effect=lambda patched, clean, corrupted: (
                    (patched - corrupted) / (clean - corrupted).mean()
                )
            ),
        ),
        case=PADDED,
    ),
)

LAYER = (
    Mistake(
        "difference-patched",
        of_the_difference(linear_below=False),
        (of_the_difference(linear_below=True),),
        case=BOUNDED,
    ),
    Mistake(
        "heads-merged-without-their-axis",
        with_step(merge=lambda x: x.reshape(x.shape[0], x.shape[2], -1)),
    ),
    Mistake("output-bias-forgotten", with_step(bias=0.0), case=BOUNDED),
    Mistake(
        "counted-from-one",
        with_step(
            mix=lambda clean, corrupted, real, head: exchanged(
                clean, corrupted, real, (head - 1) % clean.shape[1]
            )
        ),
        (
            with_step(
                mix=lambda clean, corrupted, real, head: exchanged(
                    clean, corrupted, real, max(head - 1, 0)
                )
            ),
        ),
    ),
)

MISTAKES = (*DIRECTION, *FRACTION, *LAYER)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _hand(generator: torch.Generator) -> Inputs:
    """The metric is 8 in the clean run, 4 in the corrupted one, 5 in the patched one."""
    return {
        "clean": torch.tensor([[[[3.0]], [[5.0]]]]),
        "corrupted": torch.tensor([[[[2.0]], [[2.0]]]]),
        "real": torch.tensor([[True]]),
        "head": 0,
        "W_O": torch.tensor([[1.0, 1.0]]),
        "b_O": torch.tensor([0.0]),
        "metric": PLAIN,
    }


def _padded(generator: torch.Generator) -> Inputs:
    return {
        "clean": torch.tensor([[[[4.0], [1.0]], [[2.0], [6.0]]], [[[3.0], [5.0]], [[1.0], [2.0]]]]),
        "corrupted": torch.tensor(
            [[[[1.0], [3.0]], [[1.0], [2.0]]], [[[2.0], [1.0]], [[1.0], [0.0]]]]
        ),
        "real": torch.tensor([[True, False], [True, True]]),
        "head": 0,
        "W_O": torch.tensor([[1.0, 2.0]]),
        "b_O": torch.tensor([1.0]),
        "metric": PLAIN,
    }


def _random(
    metric: str, batch: int, heads: int, positions: int, d_value: int, d_model: int, head: int,
    *, padded: bool = True, size: float = 1.0, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        lengths = torch.randint(1, positions + 1, (batch,), generator=generator)
        lengths[0] = positions
        real = torch.arange(positions) < (lengths[:, None] if padded else positions)
        corrupted = draw(batch, heads, positions, d_value)
        return {
            "clean": corrupted + draw(batch, heads, positions, d_value) + 0.5,
            "corrupted": corrupted,
            "real": real.expand(batch, positions).clone(),
            "head": head,
            "W_O": size * draw(d_model, heads * d_value) + 0.25,
            "b_O": draw(d_model),
            "metric": metric,
        }

    return make


CASES = (
    Case(_("one word, two heads of width one"), _hand),
    Case(PADDED, _padded),
    Case(_("three heads, five positions"), _random(COUNTED, 2, 3, 5, 2, 7, 1), seed=1),
    Case(BOUNDED, _random(CUT, 3, 2, 5, 3, 5, 1), seed=2),
    Case(_("as many heads as positions"), _random(LARGEST, 3, 3, 3, 2, 5, 2), seed=3),
    Case(_("no padding"), _random(COUNTED, 2, 5, 3, 2, 3, 4, padded=False), seed=4),
    Case(_("as many pairs as heads"), _random(BENT, 2, 2, 7, 3, 2, 0, size=0.3), seed=5),
    Case(_("float64"), _random(BENT, 3, 3, 5, 2, 7, 1, size=0.3, dtype=torch.float64), seed=6),
)

ANSWERS = Answers(
    solution=patch_head,
    alternatives=(after_the_output_map, with_a_mask, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    run=run_with(METRICS),
)
