"""The mask painter's weights and reach: what the package and torch compute, for drawn masks too."""

import json
from pathlib import Path

import torch
from torch import Tensor

from bottomup.attention import masked_softmax
from tests.explorables import node
from tests.explorables.demo import MASK


def test_pure_functions(tmp_path: Path):
    payload = json.loads(MASK.data)
    scores = torch.tensor(payload["scores"], dtype=torch.float64)
    masks = [torch.tensor(ready["mask"]) for ready in payload["masks"]]
    generator = torch.Generator().manual_seed(7)
    masks += [(torch.rand(6, 6, generator=generator) < share).int() for share in (0.5, 0.3, 0.1)]
    masks[-1][4] = 0

    def case(mask: Tensor) -> dict[str, object]:
        powers = [torch.linalg.matrix_power(mask.double(), layers) for layers in (1, 2, 3, 4)]
        return {
            "mask": mask.tolist(),
            "weights": masked_softmax(scores, mask.bool()).tolist(),
            "reach": [(power > 0).int().tolist() for power in powers],
        }

    given = {**payload, "scores": scores.tolist(), "cases": [case(mask) for mask in masks]}
    node.check(Path(__file__).with_name("mask_painter.test.js"), given, tmp_path)
