"""Time ways to compute the masked scores of multi-head attention, the step before the softmax.

With weights returned, this step is where the package and ``nn.MultiheadAttention`` differ most.

    python -m bench.scores [--n 512] [--rounds 15]
"""

import argparse
from collections.abc import Callable

import torch
from torch import Tensor

from bench.timing import interleave, ratios, spread
from bottomup.attention import scaled_dot_scores, split_heads
from bottomup.masks import causal_mask

BATCH, HEADS, D_HEAD = 8, 8, 64
WIDTH, SCALE = HEADS * D_HEAD, D_HEAD**-0.5


def ways(n: int) -> dict[str, Callable[[], Tensor]]:
    """Return each way by its name; all give [batch, head, query, key] or that with joint axes."""
    mask = causal_mask(n)
    query, key = (split_heads(torch.randn(BATCH, n, WIDTH), HEADS) for _ in range(2))
    # nn.MultiheadAttention: positions first, so that one stride leads through sequences and heads.
    query_first, key_first = (
        heads.permute(2, 0, 1, 3).reshape(n, BATCH * HEADS, D_HEAD).transpose(0, 1)
        for heads in (query, key)
    )

    def blocked() -> Tensor:
        return torch.zeros(n, n).masked_fill_(~mask, -torch.inf)

    def in_one() -> Tensor:
        keys = key.flatten(0, 1).transpose(-2, -1)
        return torch.baddbmm(blocked()[None], query.flatten(0, 1), keys, alpha=SCALE)

    def by_torch() -> Tensor:
        return torch.baddbmm(blocked()[None], query_first * SCALE, key_first.transpose(-2, -1))

    return {
        "bottomup": lambda: scaled_dot_scores(query, key).add_(blocked()),
        "keys copied before they are transposed": lambda: scaled_dot_scores(
            query, key.contiguous()
        ).add_(blocked()),
        "multiplication that starts from the mask": in_one,
        "torch, positions first": by_torch,
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    found = ways(chosen.n)
    *_, last = found
    with torch.no_grad():
        seconds = interleave(found, chosen.rounds)
    for name, measured in seconds.items():
        ms, ratio = spread(measured)["median"] * 1000, spread(ratios(measured, seconds[last]))
        against = f"{ratio['median']:.2f} ({ratio['q1']:.2f}–{ratio['q3']:.2f})"
        print(f"{name:42} {ms:9.2f} ms, {against} of the last row")


if __name__ == "__main__":
    main()
