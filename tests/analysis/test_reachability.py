"""Two-step reachability: by hand, and the shares that chapter 07 speaks of."""

import pytest
import torch

from bottomup.analysis import reached, reached_share
from bottomup.attention import fixed_masks, strided_masks
from bottomup.masks import causal_mask


def test_by_hand():
    # the first layer lets 1 read 0, the second lets 2 read 1
    first, second = torch.zeros(2, 3, 3, dtype=torch.bool)
    first[1, 0] = second[2, 1] = True
    assert reached(first, second).nonzero().tolist() == [[2, 0]]
    assert not reached(second, first).any()
    assert reached(first, second, residual=True).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert torch.equal(reached(first), first)


def test_a_path_may_take_more_steps():
    window, _ = strided_masks(11, 3)
    assert reached_share(reached(*[window] * 4)) < 1
    assert torch.equal(reached(*[window] * 5), causal_mask(11))


@pytest.mark.parametrize("n, stride", [(1, 1), (7, 3), (61, 7), (61, 100)])
def test_strided_attention_reaches_everything_in_either_order(n, stride):
    window, column = strided_masks(n, stride)
    assert torch.equal(reached(window, column), causal_mask(n))
    assert torch.equal(reached(column, window), causal_mask(n))


def test_fixed_attention_depends_on_the_order():
    own, summaries = fixed_masks(1024, 32, 8)
    assert reached_share(reached(own, summaries)) == pytest.approx(0.982, abs=5e-4)
    assert reached_share(reached(own, summaries, residual=True)) == 1
    assert reached_share(reached(summaries, own)) == pytest.approx(0.244, abs=5e-4)
    assert reached_share(reached(summaries, own, residual=True)) == pytest.approx(0.274, abs=5e-4)
    assert reached_share(reached(own | summaries, own | summaries)) == 1


def test_share_by_hand():
    assert reached_share(torch.eye(3, dtype=torch.bool)) == 0.5
    assert reached_share(torch.ones(3, 3, dtype=torch.bool)) == 1


@pytest.mark.parametrize(
    ("steps", "error", "message"),
    [
        ((), ValueError, "steps: expected at least one pattern, got none"),
        ((torch.eye(3),), TypeError, r"steps\[0\]: expected a boolean mask"),
        ((torch.ones(3).bool(),), ValueError, r"steps\[0\]: expected a square mask"),
        ((causal_mask(3), causal_mask(4)), ValueError, r"steps\[1\]: .*got shape \(4, 4\)"),
    ],
)
def test_patterns_are_checked(steps, error, message):
    with pytest.raises(error, match=message):
        reached(*steps)


def test_a_share_s_pattern_is_checked_under_its_name():
    with pytest.raises(TypeError, match="reach: expected a boolean mask"):
        reached_share(torch.eye(3))
    with pytest.raises(ValueError, match=r"reach: expected axes \[n, n\], got shape \(3, 2\)"):
        reached_share(torch.ones(3, 2, dtype=torch.bool))
