"""Chapter 07's exact experiment: its measures by hand."""

from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from bottomup import experiments
from bottomup.experiments import Record
from bottomup.experiments.sparse_transformers import equality
from bottomup.experiments.sparse_transformers import experiment as sparse_transformers
from bottomup.experiments.sparse_transformers import recompute as recomputing
from bottomup.experiments.sparse_transformers.config import Config
from bottomup.experiments.sparse_transformers.growth import measured, rms, start
from bottomup.experiments.sparse_transformers.leak import (
    duplicates,
    in_one_softmax,
    literal_sets,
    reads_ahead,
    under,
    window_overlap,
)
from bottomup.experiments.sparse_transformers.patterns import (
    measure_counts,
    measure_reach,
)
from bottomup.masks import causal_mask

NAME = "sparse_transformers"
# Claims that hold at any size; the others need the sizes that are recorded.
EXACT = """07.1a 07.1b 07.1c 07.3a 07.3b 07.3e 07.4a 07.4b 07.4c 07.4d 07.5a 07.5c""".split()
CPU = torch.device("cpu")
TINY = sparse_transformers.PRESETS["tiny"]
# What holds at any size; the others need the sizes that are recorded.


def test_what_holds_at_any_size_holds_in_a_tiny_run(tiny: Record):
    found = {claim.id: claim for claim in experiments.claims(tiny)}
    for number in EXACT:
        assert all(map(found[number].rule.is_met_by, found[number].values)), number


# --- Equality ---


def test_a_mask_that_is_one_pair_off_would_be_noticed(monkeypatch, generator):
    config = replace(TINY, sizes=((13, 6, 5),))
    honest = equality.measure_equality(config, 3, CPU)
    assert honest["output_digits"] > 12
    assert honest["gradient_digits"] > 11

    def wrong(*arguments, **options):
        own, summaries = fixed_masks(*arguments, **options)
        summaries = summaries.clone()
        summaries[12, 1] ^= True
        return own, summaries

    fixed_masks = equality.fixed_masks
    monkeypatch.setattr(equality, "fixed_masks", wrong)
    found = equality.measure_equality(config, 3, CPU)
    assert found["strided_union"] == honest["strided_union"]
    assert found["fixed_union"]["output"] < 3
    assert found["fixed_heads"]["gradient"] < 3
    assert found["output_digits"] == min(
        found[f"fixed_{merge}"]["output"] for merge in equality.MERGES
    )


# --- Counts and reach ---


def test_counts_by_hand():
    found = measure_counts(Config(lengths=(4, 16)))
    # n = 4, l = 2: {0}, {0, 1}, {0, 1, 2}, {1, 2, 3}; and {0}, {0, 1}, {1, 2}, {1, 2, 3}
    assert found["dense"]["needed"][4] == 10
    assert found["strided"]["needed"][4] == 9
    assert found["fixed"]["needed"][4] == 8
    assert found["dense"]["computed"] == {4: 16, 16: 256}
    assert found["triangle"][4] == 5 / 8
    assert found["fixed_over_strided"][4] == 8 / 9
    assert found["strided_over_dense"][4] == 9 / 10
    assert found["growth"]["dense"]["computed"] == pytest.approx(2)
    assert found["growth"]["fixed"]["needed"] == pytest.approx(1.5)


def test_reach_by_hand():
    found = measure_reach(Config(positions=4, stride=2, summary=1), CPU)["fixed"]
    # own {0} {0, 1} {2} {2, 3}, summaries {} {1} {1} {1, 3}: (0, 0) and (2, 2) have no summary
    assert found["first_second"] == {"share": 8 / 10, "missing": 2}
    assert found["missing_in_own_block"] == 1
    # 1 and 2 read 1, 3 reads 1 and 3; 0 reads nothing
    assert found["second_first"] == {"share": 4 / 10, "missing": 6}
    assert found["union_once"]["missing"] == 2
    assert found["first_twice"]["missing"] == 4


# --- Leaks ---


def test_the_printed_sets_by_hand():
    sets = literal_sets(5, 2, 1, CPU)

    def row(name: str, i: int) -> list[int]:
        return sets[name][i].nonzero().flatten().tolist()

    assert row("window", 3) == [1, 2, 3]
    assert row("window", 0) == [0]
    assert row("column", 0) == [0, 2, 4]
    assert row("own", 0) == [0, 1]
    assert row("summaries", 0) == [1, 3]
    assert row("strided", 3) == [1, 2, 3]
    assert row("fixed", 4) == [1, 3, 4]


def draw(n: int, generator: torch.Generator) -> list[torch.Tensor]:
    return [
        torch.randn(1, 1, n, width, generator=generator, dtype=torch.float64) for width in (5, 5, 3)
    ]


@pytest.mark.parametrize("name", ["window", "column", "own", "summaries", "fixed"])
def test_edits_and_gradients_find_the_pairs_of_the_mask(name: str, generator):
    mask = literal_sets(11, 4, 2, CPU)[name]
    found = reads_ahead(under(mask), draw(11, generator))
    assert found["pairs"] == found["gradient_pairs"] == int(mask.triu(1).sum())
    assert found["share"] == found["pairs"] / 55
    assert (found["largest"] > 0.01) == (found["pairs"] > 0)


def test_a_leak_through_one_of_the_two_is_found(generator):
    causal = under(causal_mask(7))

    def faint(query, key, value):  # position 0 reads the last value, hardly
        return causal(query, key, value) + 1e-14 * value[..., -1:, :].detach()

    found = reads_ahead(faint, draw(7, generator))
    assert (found["pairs"], found["gradient_pairs"]) == (6, 0)
    assert found["largest"] < 1e-13
    assert reads_ahead(causal, draw(7, generator))["pairs"] == 0


def test_the_wider_window_by_hand():
    # n = 7, l = 3: positions 3, 4, 5 and 6 have i - 3 in both sets
    assert window_overlap(7, 3) == {"union_differs": 0, "twice": {"l": 0, "l_plus_1": 4}}


def test_a_position_in_two_sets_counts_twice_by_hand():
    zeros, value = torch.zeros(1, 1, 2, 1), torch.tensor([3.0, 9.0]).reshape(1, 1, 2, 1)
    first = torch.tensor([[True, False], [True, True]])
    second = torch.tensor([[False, False], [False, True]])
    output = in_one_softmax([zeros, zeros, value], first, second)
    assert output.flatten().tolist() == pytest.approx([3, (3 + 9 + 9) / 3])


def test_without_duplicates_the_softmax_is_that_of_the_union(generator):
    found = duplicates(13, 4, 2, draw(13, generator))
    assert found["removed_digits"] > 12
    assert all(found[name]["largest"] > 0.01 for name in ("l", "l_plus_1", "fixed"))
    # l = 1 and c = l: one set lies in the other, and i - 1 counts twice with the wider window only
    assert duplicates(13, 1, 1, draw(13, generator))["l_plus_1"]["relative"] > 0.01


# --- Recomputation ---


class Sine(nn.Module):
    """Keeps its input for the gradient, and the sine of it."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, None]:
        return x.sin().sin(), None


def sines(depth: int) -> recomputing.Task:
    layers = nn.ModuleList(Sine() for _ in range(depth))
    return recomputing.Task(layers, torch.ones(1, 5, 7, requires_grad=True), torch.ones(1, 5, 7), 0)


def test_bytes_by_hand():
    stream, mask = 4 * 5 * 7, 5 * 5
    plain, again = recomputing.WAYS["plain"], recomputing.WAYS["recomputed"]
    assert recomputing.kept_bytes(sines(3), plain) == 6 * stream
    assert recomputing.kept_bytes(sines(3), again) == 3 * stream + mask
    assert recomputing.slope({2: 10, 8: 31, 4: 0}) == 3.5
    runs = {"plain": 1, "recomputed": 2, "without_gradients": 1}
    assert recomputing.count_runs(sines(3)) == runs


def test_other_random_numbers_in_the_second_run_would_be_noticed(monkeypatch, tiny: Record):
    assert tiny.metric("recompute.unequal") == (0,)

    def careless(layer):
        return lambda *inputs: checkpoint(
            layer, *inputs, use_reentrant=False, preserve_rng_state=False
        )

    monkeypatch.setitem(recomputing.WAYS, "recomputed", careless)
    found = recomputing.measure_recompute(TINY, 5, CPU)
    assert found["unequal"] > 0.3 * found["compared"] / 2


# --- Growth ---


def test_growth_by_hand():
    model, weigh = start(TINY, 1, 0, scaled=True), torch.randn(2, 11, 8)
    tokens = torch.arange(22).reshape(2, 11) % 17
    with torch.no_grad():
        for parameter in model.layers.parameters():
            parameter.zero_()
        model.layers[0].feed_forward.W_out.bias.fill_(2.0)
        embedding = rms(model.embed(tokens))
    found = measured(model, tokens, weigh)
    assert found["blocks"] == pytest.approx(2 / embedding)
    stream = rms(model.embed(tokens) + 2)
    assert found["stream"] == pytest.approx(stream / embedding)
    assert rms(torch.tensor([3.0, 4.0, 5.0, 0.0])) == pytest.approx(12.5**0.5)
