"""Label smoothing, of chapter 05: the library's and torch's losses, words of a diagnosis."""

import pytest
import torch
import torch.nn.functional as F

from bottomup.exercises import catalog
from bottomup.training import token_cross_entropy

LABEL_SMOOTHING = catalog()["label-smoothing"]
VALUES = [case for case in LABEL_SMOOTHING.cases if not case.wants_gradients]


@pytest.mark.parametrize("case", VALUES, ids=lambda case: case.name)
def test_without_smoothing_it_is_the_library_s_cross_entropy(case):
    logits, target, mask, _smoothing, pad = case.fresh().inputs.values()
    expected = token_cross_entropy(logits, target, mask)
    torch.testing.assert_close(LABEL_SMOOTHING.solution(logits, target, mask, 0.0, pad), expected)


def test_torch_s_loss_is_this_one_where_padding_cannot_be_predicted():
    # torch shares among V - 1 tokens then, the right one too: less is taken from it
    logits, target, mask, smoothing, pad = LABEL_SMOOTHING.cases[2].fresh().inputs.values()
    tokens = [c for c in range(logits.shape[-1]) if c != pad]
    renumbered = target.sub(1).clamp(min=0)  # padding is class 0
    theirs = F.cross_entropy(logits[..., tokens][mask], renumbered[mask], label_smoothing=smoothing)
    lowered = logits.double()
    lowered[..., pad] = -1e4
    others = len(tokens) - 1
    ours = LABEL_SMOOTHING.solution(lowered, target, mask, smoothing * others / len(tokens), pad)
    torch.testing.assert_close(ours.float(), theirs)


def test_a_convention_is_called_one():
    conventions = [m for m in LABEL_SMOOTHING.mistakes if m.slug.startswith("shared-")]
    assert len(conventions) == 3
    assert all("convention" in mistake.diagnosis for mistake in conventions)
