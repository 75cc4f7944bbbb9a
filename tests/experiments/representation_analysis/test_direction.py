"""Chapter 08's objective and direction: who reads what."""

import torch

from bottomup.experiments.representation_analysis.direction import experiment as direction
from bottomup.experiments.representation_analysis.networks import Start, batches, untrained
from bottomup.experiments.representation_analysis.text import load_text

TINY = direction.PRESETS["tiny"]
START = Start(3)


def test_the_left_reading_network_is_asked_as_mlm_and_reads_as_lm():
    text = load_text(TINY)
    masked, left = (batches(TINY, text, name, START)(0) for name in ("mlm", "mlm_left"))
    assert torch.equal(masked.corrupted, left.corrupted)
    tokens = masked.corrupted[:1]
    changed = tokens.clone()
    changed[0, -1] = 4 if tokens[0, -1] != 4 else 5

    def first_moves(name: str) -> bool:
        network = untrained(TINY, text, name, START).eval()
        gap = (network(tokens).logits - network(changed).logits)[0, 0].abs().max()
        return gap.item() > 0

    assert [first_moves(name) for name in TINY.objectives] == [False, False, True]
