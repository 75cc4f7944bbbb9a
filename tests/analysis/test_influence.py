import re

import pytest
import torch
from torch import nn

from bottomup.analysis.canonical_correlation import FewSamplesWarning
from bottomup.analysis.influence import influence_by_group, token_influence
from bottomup.analysis.pwcca import pwcca_distance
from bottomup.blocks import EncoderLayer
from bottomup.masks import causal_mask
from tests.analysis.representations import draw
from tests.drawn import seeded


class Averages(nn.Module):
    """Every position becomes the average of what it may read."""

    def forward(self, x, mask):
        n = x.shape[1]
        read = torch.ones(n, n, dtype=torch.bool, device=x.device)
        read = read if mask is None else read & mask
        weights = read.to(x) / read.sum(dim=-1, keepdim=True)
        return weights @ x, None


class Mode(nn.Module):
    """Leaves the stream as it is and remembers how it was called."""

    def __init__(self):
        super().__init__()
        self.found = []
        self.weight = nn.Parameter(torch.ones(()))

    def forward(self, x, mask):
        self.found.append((self.training, torch.is_grad_enabled()))
        return self.weight * x, None


def numbers(*rows: list[float]) -> torch.Tensor:
    """Sequences whose states are single numbers, [batch, position, 1]."""
    return torch.tensor(rows, dtype=torch.float64)[:, :, None]


# one token that cannot be read


def test_an_average_by_hand():
    x = numbers([3, 6, 12], [1, 5, 9])
    states, without = token_influence(Averages(), x, None, torch.tensor([1, 2]))
    assert states.flatten().tolist() == [7, 7, 5, 5]
    assert without.flatten().tolist() == [7.5, 7.5, 3, 3]


def test_the_dropped_token_still_reads_itself_and_is_not_counted():
    x = numbers([3, 6, 12])
    mask = torch.tensor([[1, 1, 0], [0, 1, 0], [0, 1, 0]]).bool()
    states, without = token_influence(Averages(), x, mask, torch.tensor([0]))
    assert (states.numel(), without.numel()) == (0, 0)  # it alone reads itself
    lower = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 1]]).bool()
    states, without = token_influence(Averages(), x, lower, torch.tensor([0]))
    assert states.flatten().tolist() == [4.5]  # position 2 cannot read it in any case
    assert without.flatten().tolist() == [6]


def test_a_causal_mask_counts_later_positions_alone():
    x = numbers([3, 6, 12, 11])
    causal = causal_mask(4)
    found = [token_influence(Averages(), x, causal, torch.tensor([at])) for at in range(4)]
    assert [states.flatten().tolist() for states, _ in found] == [[4.5, 7, 8], [7, 8], [8], []]
    wanted = [[6, 9, 29 / 3], [7.5, 26 / 3], [20 / 3], []]
    assert [without.flatten().tolist() for _, without in found] == [
        pytest.approx(each) for each in wanted
    ]
    assert found[3][0].shape == (0, 1)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("causal", [False, True])
def test_an_encoder_layer_without_the_token_in_its_sentence(norm, causal):
    torch.manual_seed(5)
    layer = EncoderLayer(6, 3, 11, norm=norm, dropout=0.5).eval()
    x = torch.randn(2, 5, 6)
    mask = causal_mask(5) if causal else None
    shorter = causal_mask(4) if causal else None
    states, without = token_influence(layer, x, mask, torch.tensor([1, 1]))
    others = [0, 2, 3, 4]
    kept = slice(1, None) if causal else slice(None)
    with torch.no_grad():
        whole, _ = layer(x, mask)
        cut, _ = layer(x[:, others], shorter)
    torch.testing.assert_close(states, whole[:, others][:, kept].flatten(0, 1))
    torch.testing.assert_close(without, cut[:, kept].flatten(0, 1))
    assert (states - without).abs().max() > 1e-3


def test_it_runs_in_evaluation_mode_without_gradient_and_puts_the_mode_back():
    layer = Mode().train()
    states, without = token_influence(layer, numbers([1, 2, 3]), None, torch.tensor([0]))
    influence_by_group(
        layer, [(numbers([1, 2, 4]), None)], [torch.zeros(1, 3).long()],
        rows=2, generator=seeded(13), few_samples="allow",
    )  # fmt: skip
    assert set(layer.found) == {(False, False)}
    assert layer.training
    assert not states.requires_grad
    assert not without.requires_grad


# the influence of a group


def test_one_token_of_a_group_gives_the_distance_of_token_influence(generator):
    shapes = ((83, 5), (71, 3))
    batches = [(draw(generator, batch, n, 2), causal_mask(n)) for batch, n in shapes]
    groups = [torch.zeros(shape, dtype=torch.int64) for shape in shapes]
    # late positions, so that group 1 has the fewest states and all of them are taken
    dropped = [torch.randint(n // 2, n - 1, (batch,), generator=generator) for batch, n in shapes]
    for own, at in zip(groups, dropped, strict=True):
        own[torch.arange(len(own)), at] = 1
    options = {"rows": 10**4, "few_samples": "allow"}
    found = influence_by_group(Averages(), batches, groups, generator=seeded(13), **options)
    parts = [
        token_influence(Averages(), *batch, at) for batch, at in zip(batches, dropped, strict=True)
    ]
    states, without = (torch.cat(side) for side in zip(*parts, strict=True))
    assert 83 + 71 < len(states) < 83 * 2 + 71
    wanted = pwcca_distance(states, without, symmetric=True, few_samples="allow")
    assert found[1] == pytest.approx(wanted, abs=1e-9)
    assert 0.01 < wanted < 0.9


def test_each_token_of_a_group_is_drawn_as_often(generator):
    # without the first, position 2 is the second; without the second, the first
    x = draw(generator, 4000, 3, 1)
    mask = torch.tensor([[1, 0, 0], [0, 1, 0], [1, 1, 0]]).bool()
    groups = torch.tensor([0, 0, -1]).expand(4000, 3)
    seen = []
    layer = Averages()
    layer.register_forward_pre_hook(lambda _layer, given: seen.append(given[1]))
    with pytest.raises(ValueError, match="expected states to compare for group 0, got none"):
        influence_by_group(layer, [(x, mask)], [groups], rows=10, generator=generator)
    first = (~seen[1][:, 2, 0]).float().mean().item()
    second = (~seen[1][:, 2, 1]).float().mean().item()
    assert first + second == pytest.approx(1)
    assert first == pytest.approx(0.5, abs=0.04)  # five standard deviations


def test_a_sentence_without_a_token_of_the_group_does_not_count(generator):
    x = draw(generator, 200, 3, 2)
    groups = torch.zeros(200, 3, dtype=torch.int64)
    groups[::2, 1] = 1
    x[1::2] = float("nan")  # only sentences with group 1 hold numbers
    layer, options = Averages(), {"rows": 200, "generator": seeded(13), "few_samples": "allow"}
    groups[1::2] = -1
    found = influence_by_group(layer, [(x, None)], [groups], **options)
    states, without = token_influence(layer, x[::2], None, torch.ones(100).long())
    wanted = pwcca_distance(states, without, symmetric=True, few_samples="allow")
    assert found[1] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_a_batch_need_not_hold_every_group(generator, order):
    numbers, sizes = [0, 1, -1], (3, 4, 5)
    batches = [(draw(generator, 40, n, 2), None) for n in sizes]
    groups = [torch.full((40, n), number) for n, number in zip(sizes, numbers, strict=True)]
    found = influence_by_group(
        Averages(), [batches[at] for at in order], [groups[at] for at in order],
        rows=10**3, generator=seeded(13), few_samples="allow",
    )  # fmt: skip
    assert list(found) == [0, 1]
    assert 0.01 < found[1] < found[0]  # one of four counts for less than one of three


def test_a_mask_for_each_sentence_follows_the_chosen_ones(generator):
    x = draw(generator, 60, 3, 2)
    mask = torch.ones(60, 3, 3, dtype=torch.bool)
    mask[::2] = causal_mask(3)
    groups = torch.zeros(60, 3, dtype=torch.int64)
    groups[1::3, 1] = 1
    options = {"rows": 10**3, "few_samples": "allow"}
    found = influence_by_group(Averages(), [(x, mask)], [groups], generator=seeded(13), **options)
    part = slice(1, None, 3)
    states, without = token_influence(Averages(), x[part], mask[part], torch.ones(20).long())
    wanted = pwcca_distance(states, without, symmetric=True, few_samples="allow")
    assert len(states) == 30  # one later position in ten sentences, two in the others
    assert found[1] == pytest.approx(wanted, abs=1e-9)


def test_few_states_warn_where_the_function_is_called(generator):
    batches, groups = [(draw(generator, 40, 3, 2), None)], [torch.zeros(40, 3).long()]
    with pytest.warns(FewSamplesWarning, match=r"200 in all, got 80; group 0 has 80") as seen:
        influence_by_group(Averages(), batches, groups, rows=500, generator=seeded(13))
    assert [warning.filename for warning in seen] == [__file__]


# refusals

X = draw(seeded(13), 7, 5, 2)
AT = torch.zeros(7, dtype=torch.int64)
GROUPS = torch.zeros(7, 5, dtype=torch.int64)


def test_a_position_behind_the_sentence_cannot_be_dropped():
    with pytest.raises(ValueError, match=re.escape("dropped: expected positions in [0, 5), got 5")):
        token_influence(Averages(), X, None, AT + 5)


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        ({"batches": []}, ValueError, "groups: expected one tensor for each batch, and a batch at"),
        ({"groups": [GROUPS] * 2}, ValueError, "a batch at least, got 2 for 1"),
        (
            {"batches": [(X, None), (X[..., :1], None)], "groups": [GROUPS] * 2},
            ValueError,
            "x: expected axes [batch, position, d_model=2], got shape (7, 5, 1)",
        ),
        ({"batches": [(X, causal_mask(3))]}, ValueError, "mask: expected a shape that broadcasts"),
        ({"groups": [GROUPS - 1]}, ValueError, "groups: expected a token with a group from 0"),
        ({"groups": [GROUPS + 1]}, ValueError, "states to compare for group 0, got none"),
        ({"batches": [(X[:4], None)], "groups": [GROUPS[:4]]}, ValueError, "20 in all, got 16;"),
        ({"rows": 19}, ValueError, "rows: expected an integer of at least 20, got 19"),
    ],
)
def test_bad_batches_are_refused(wrong, error, text):
    options = {"batches": [(X, None)], "groups": [GROUPS], "rows": 40, "generator": seeded(13)}
    with pytest.raises(error, match=re.escape(text)):
        influence_by_group(Averages(), **options | wrong)
