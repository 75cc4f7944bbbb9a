"""Chapter 07's exact experiment: its measures by hand, and a tiny run of every part."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from bottomup import experiments
from bottomup.experiments import Record, Verdict
from bottomup.experiments.sparse_transformers import equality
from bottomup.experiments.sparse_transformers import experiment as sparse_transformers
from bottomup.experiments.sparse_transformers import recompute as recomputing
from bottomup.experiments.sparse_transformers.config import Config
from bottomup.experiments.sparse_transformers.growth import measured, rms, start
from bottomup.experiments.sparse_transformers.leak import (
    duplicates,
    in_one_softmax,
    literal_sets,
    measure_leak,
    reads_ahead,
    under,
    window_overlap,
)
from bottomup.experiments.sparse_transformers.patterns import (
    measure_counts,
    measure_reach,
    two_steps,
)
from bottomup.masks import causal_mask

SEEDS = (0, 1, 2)
CPU = torch.device("cpu")
TINY = sparse_transformers.PRESETS["tiny"]
CLAIMS = [
    "07.1a", "07.1b", "07.1c", "07.2a", "07.2b", "07.2c", "07.2d", "07.2e",
    "07.3a", "07.3b", "07.3c", "07.3d", "07.3e", "07.4a", "07.4b", "07.4c", "07.4d", "07.4e",
    "07.5a", "07.5b", "07.5c", "07.6a", "07.6b", "07.6c",
]  # fmt: skip
# What holds at any size; the others need the sizes that are recorded.
EXACT = ["07.1a", "07.1b", "07.1c", "07.3a", "07.3b", "07.3e", "07.4a", "07.4b", "07.4c", "07.4d",
         "07.5a", "07.5c"]  # fmt: skip


@pytest.fixture(scope="module")
def tiny() -> Record:
    return sparse_transformers.run(TINY, SEEDS, "cpu")


def test_a_tiny_run_gives_every_part_and_every_claim(tiny: Record):
    assert list(tiny.runs[0]["metrics"]) == [
        "equality", "counts", "reach", "leak", "recompute", "growth",
    ]  # fmt: skip
    found = {claim.id: claim.verdict for claim in experiments.claims(tiny)}
    assert list(found) == CLAIMS
    assert {id: found[id] for id in EXACT} == dict.fromkeys(EXACT, Verdict.HOLDS)


def test_a_seed_gives_the_same_each_time_but_for_the_seconds(tiny: Record):
    again = sparse_transformers.run(TINY, [1], "cpu")
    assert without_seconds(again.runs[0]["metrics"]) == without_seconds(tiny.runs[1]["metrics"])
    for part in ("counts", "reach"):
        assert all(run["metrics"][part] == tiny.runs[0]["metrics"][part] for run in tiny.runs)
    for part in ("equality", "leak", "growth"):
        assert tiny.runs[0]["metrics"][part] != tiny.runs[1]["metrics"][part]


def without_seconds(metrics: Mapping[str, Any]) -> dict[str, Any]:
    recompute = {name: of for name, of in metrics["recompute"].items() if name != "seconds"}
    return {**metrics, "recompute": recompute}


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


def test_half_of_the_heads_have_the_mask_of_each_set():
    found = equality.patterns(5, 2, 1, CPU)
    window, column = found["strided_heads"][1][0], found["strided_heads"][1][3]
    assert window[4].tolist() == [False, False, False, True, True]
    assert column[4].tolist() == [True, False, True, False, True]
    assert found["strided_heads"][1].shape == (4, 5, 5)
    assert torch.equal(found["strided_union"][1][0], window | column)


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


def test_a_missed_pair_of_two_blocks_is_not_counted_as_one_of_the_own_block():
    # c = 1: block 0 is read by its last position, so nothing outside the own block is missed
    assert measure_reach(Config(positions=7, stride=3, summary=1), CPU)["fixed"][
        "missing_in_own_block"
    ] == 1  # fmt: skip
    identity = torch.eye(3, dtype=torch.bool)
    assert two_steps(identity, identity)["first_second"] == {"share": 0.5, "missing": 3}


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


def test_a_leak_of_the_sparse_functions_would_be_counted(monkeypatch):
    module = "bottomup.experiments.sparse_transformers.leak"
    config = Config(leak=(13, 4, 2))
    assert measure_leak(config, 0, CPU)["proper_pairs"] == 0
    leaky = literal_sets(13, 4, 2, CPU)["strided"]
    monkeypatch.setattr(
        f"{module}.strided_attention", lambda q, k, v, stride: under(leaky)(q, k, v)
    )
    assert measure_leak(config, 0, CPU)["proper_pairs"] == 2 * int(leaky.triu(1).sum())


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


def test_parameters_are_not_counted():
    stack = recomputing.task(replace(TINY, length=5, d_model=14, num_heads=7), 2, 0.0, 0, CPU)
    kept = recomputing.kept_bytes(stack, recomputing.WAYS["recomputed"])
    assert kept == 2 * 4 * (2 * 5 * 14) + 5 * 5


def test_runs_are_counted():
    assert recomputing.count_runs(sines(3)) == {
        "plain": 1, "recomputed": 2, "without_gradients": 1,
    }  # fmt: skip


def test_other_random_numbers_in_the_second_run_would_be_noticed(monkeypatch):
    honest = recomputing.measure_recompute(TINY, 5, CPU)
    # output and input, 13 d^2 + ... parameters a layer, at each depth, with dropout and without
    layer = sum(p.numel() for p in recomputing.task(TINY, 1, 0.0, 5, CPU).layers.parameters())
    assert honest["compared"] == 2 * (3 * 2 * 2 * 11 * 8 + (1 + 2 + 3) * layer)
    assert honest["unequal"] == 0

    def careless(layer):
        return lambda *inputs: checkpoint(
            layer, *inputs, use_reentrant=False, preserve_rng_state=False
        )

    monkeypatch.setitem(recomputing.WAYS, "recomputed", careless)
    found = recomputing.measure_recompute(TINY, 5, CPU)
    assert found["unequal"] > 0.3 * found["compared"] / 2


# --- Growth ---


def test_the_maps_that_write_to_the_stream_start_smaller():
    scaled, unscaled = (start(TINY, 3, 7, scaled=choice) for choice in (True, False))
    for one, other in zip(scaled.layers, unscaled.layers, strict=True):
        assert torch.equal(one.attention.W_QKV.weight, other.attention.W_QKV.weight)
        for name in ("attention.W_P", "feed_forward.W_out"):
            small, large = (layer.get_submodule(name).weight for layer in (one, other))
            torch.testing.assert_close(small * 6**0.5, large)


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
