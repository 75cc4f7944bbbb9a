"""Chapter 07's deep stacks: the two starts."""

import torch

from bottomup.experiments.sparse_transformers.depth import experiment as depth


def test_the_starts_differ_in_the_maps_that_write_to_the_stream_alone():
    task, layers = depth.TINY, 3
    plain, scaled = (
        dict(depth.untrained(task, 17, 5, layers, scaled=each).named_parameters())
        for each in (False, True)
    )
    different = {name for name in plain if not torch.equal(plain[name], scaled[name])}
    assert len(different) == 2 * layers
    for name in different:
        torch.testing.assert_close(scaled[name], plain[name] / (2 * layers) ** 0.5)
