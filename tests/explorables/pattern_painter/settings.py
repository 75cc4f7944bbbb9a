"""Settings of the pattern painter, and what the package counts for each."""

from typing import NamedTuple

import torch
from torch import Tensor

from bottomup.attention import (
    causal_scores,
    fixed_masks,
    fixed_scores,
    strided_masks,
    strided_scores,
)
from bottomup.masks import causal_mask


class Setting(NamedTuple):
    pattern: str
    n: int
    stride: int
    summary: int = 1

    @property
    def sets(self) -> tuple[Tensor, Tensor]:
        """What the first and the second of two layers read."""
        if self.pattern == "dense":
            return causal_mask(self.n), causal_mask(self.n)
        if self.pattern == "fixed":
            return fixed_masks(self.n, self.stride, self.summary)
        window, column = strided_masks(self.n, self.stride)
        return window, column if self.pattern == "strided" else window

    @property
    def printed_sets(self) -> tuple[Tensor, Tensor]:
        """The sets as the paper prints them, with Python's floor and modulo."""
        n, stride, summaries = self[1:]
        places = range(n)
        if self.pattern == "dense":
            return self.sets
        if self.pattern == "fixed":
            own = [[j // stride == i // stride for j in places] for i in places]
            summaries = [
                [j % stride in range(stride - summaries, stride + 1) for j in places]
                for _ in places
            ]
            return torch.tensor(own), torch.tensor(summaries)
        window = torch.tensor(
            [[j in range(max(0, i - stride), i + 1) for j in places] for i in places]
        )
        column = torch.tensor([[(i - j) % stride == 0 for j in places] for i in places])
        return window, column if self.pattern == "strided" else window

    @property
    def needed(self) -> int:
        if self.pattern == "dense":
            return causal_scores(self.n).needed
        if self.pattern == "strided":
            return strided_scores(self.n, self.stride).needed
        if self.pattern == "fixed":
            return fixed_scores(self.n, self.stride, self.summary).needed
        return int(self.sets[0].sum())


SETTINGS = {
    "dense": [Setting("dense", 36, 6)],
    "window": [Setting("window", 24, 5)],
    "strided": [
        Setting("strided", 16, 4),
        Setting("strided", 24, 7),
        Setting("strided", 16, 1),
        Setting("strided", 24, 24),
    ],
    "fixed": [
        Setting("fixed", 16, 4),
        Setting("fixed", 36, 5, 2),
        Setting("fixed", 24, 5, 5),
    ],
}
