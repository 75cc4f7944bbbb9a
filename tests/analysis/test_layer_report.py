"""The report on any model: each number is that of its own measure, three ways to read, refusals."""

import warnings
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor, nn

from bottomup.analysis import (
    AccessibleInformation,
    FewSamplesWarning,
    LayerReport,
    NeighbourShare,
    TokenStates,
    accessible_information,
    centred_by_type,
    gather_states,
    neighbour_position_distance,
    pwcca_distance,
    report_on_states,
    report_table,
    same_token_neighbours,
    what_layers_hold,
)
from bottomup.models import LanguageModel, LanguageModelConfig
from tests.drawn import seeded

VOCABULARY, D_MODEL, SPECIAL = 23, 6, (0, 1)
SIZES = {"clusters": 29, "types": 17, "k": 7, "seed": 3}
NAMES = ["embedding", "encoder.layers.0", "encoder.layers.1"]


def batches() -> list[Tensor]:
    """Tokens of unequal frequency, in batches of unequal length."""
    shares = 1 / torch.arange(1, VOCABULARY + 1)
    sizes = ((181, 5), (157, 7), (131, 3))
    generator = seeded(1)
    return [
        shares.multinomial(rows * n, replacement=True, generator=generator).view(rows, n)
        for rows, n in sizes
    ]


def seeded_module(make):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return make()


def language_model() -> LanguageModel:
    config = LanguageModelConfig(
        vocabulary=VOCABULARY, max_length=7, d_model=D_MODEL, num_heads=3, d_ff=11
    )
    return seeded_module(lambda: LanguageModel(config))


class Encoder(nn.Module):
    """PyTorch's own encoder behind an embedding without positions."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, D_MODEL)
        layer = nn.TransformerEncoderLayer(D_MODEL, 2, 11, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.encoder(self.embedding(tokens))


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, D_MODEL)
        self.recurrent = nn.GRU(D_MODEL, 5, batch_first=True)


def read_recurrent(model: nn.Module, tokens: Tensor) -> list[Tensor]:
    x = model.embedding(tokens)
    return [x, model.recurrent(x)[0]]


@cache
def found() -> TokenStates:
    return gather_states(language_model(), batches(), special=SPECIAL)


@cache
def reports() -> list[LayerReport]:
    return report_on_states(found(), rows=701, **SIZES)


# every number is that of its measure


def drawn() -> Tensor:
    count = len(found().tokens)
    assert count > 701
    return torch.randperm(count, generator=seeded(3))[:701].sort().values


def test_the_information_is_that_of_all_tokens():
    for report, h in zip(reports(), found().states, strict=True):
        wanted = accessible_information(
            h, found().tokens, found().sentences, clusters=29, types=17, seed=3
        )
        assert report.information == wanted


def test_neighbours_and_positions_are_those_of_the_rows():
    rows = drawn()
    tokens, positions = found().tokens[rows], found().positions[rows]
    for report, h in zip(reports(), found().states, strict=True):
        wanted = same_token_neighbours(h[rows], tokens, k=7, generator=seeded(3))
        assert report.neighbours == wanted
        distance = neighbour_position_distance(h[rows], tokens, positions, generator=seeded(3))
        assert report.position_distance == pytest.approx(distance)


def test_changes_are_symmetric_distances_from_the_station_before():
    rows = drawn()
    states = found().states
    centred = [centred_by_type(h, found().tokens)[rows] for h in states]
    assert (reports()[0].change, reports()[0].change_within_type) == (None, None)
    for station in (1, 2):
        kept = [h[rows] for h in states[station - 1 : station + 1]]
        change = pwcca_distance(*kept, symmetric=True, few_samples="allow")
        assert reports()[station].change == pytest.approx(change)
        within = pwcca_distance(
            *centred[station - 1 : station + 1], symmetric=True, few_samples="allow"
        )
        assert reports()[station].change_within_type == pytest.approx(within)
        assert 0.001 < change < within < 0.999


def test_types_that_occur_once_are_left_out_within_types():
    alone = torch.tensor([97, 101, 103])
    tokens = found().tokens.clone()
    tokens[[2, 311, 401]] = alone
    states = found()._replace(tokens=tokens)
    rows = ~torch.isin(tokens, alone)
    centred = [centred_by_type(h, tokens)[rows] for h in states.states]
    report = report_on_states(states, **SIZES)[1]
    wanted = pwcca_distance(*centred[:2], symmetric=True, few_samples="allow")
    assert report.change_within_type == pytest.approx(wanted, abs=1e-12)


def test_without_a_limit_all_tokens_count():
    everything = report_on_states(found(), **SIZES)
    for report, h in zip(everything, found().states, strict=True):
        wanted = same_token_neighbours(h, found().tokens, k=7, generator=seeded(3))
        assert report.neighbours == wanted
    assert everything == report_on_states(found(), rows=len(found().tokens), **SIZES)


def test_the_same_seed_gives_the_same_report_and_another_one_does_not():
    again = report_on_states(found(), rows=701, **SIZES)
    assert again == reports()
    assert report_on_states(found(), rows=701, **SIZES | {"seed": 5}) != reports()


# three ways to read


def test_our_own_model_is_read_as_it_is():
    found_reports = what_layers_hold(
        language_model(), batches(), special=SPECIAL, rows=701, **SIZES
    )
    assert found_reports == reports()
    assert [(report.station, report.name) for report in reports()] == [(0, "0"), (1, "1"), (2, "2")]


def test_a_model_of_pytorch_is_read_by_the_names_of_its_layers():
    model = seeded_module(Encoder).train()
    found_reports = what_layers_hold(model, batches(), layers=NAMES, special=SPECIAL, **SIZES)
    assert model.training
    assert [report.name for report in found_reports] == NAMES
    first, second, third = found_reports
    # an embedding without positions gives each type one vector: nothing is left within types
    assert first.position_distance == pytest.approx(1, abs=1e-12)
    assert first.neighbours.share == pytest.approx(first.neighbours.ceiling)
    assert second.change_within_type is None
    assert second.change > 0
    assert 0 < third.change_within_type < 1
    assert third.neighbours.share < first.neighbours.share


def test_any_module_is_read_by_a_function():
    model = seeded_module(Recurrent)
    first, second = what_layers_hold(model, batches(), read=read_recurrent, **SIZES)
    assert second.information.plug_in < first.information.plug_in
    assert 0 < second.change < 1


def test_padding_is_left_out():
    model = language_model()
    marked = [(tokens, tokens > 1) for tokens in batches()]
    assert what_layers_hold(model, marked, rows=701, **SIZES) == reports()


def test_one_station_has_no_change():
    one = found()._replace(states=found().states[1:2])
    (report,) = report_on_states(one, rows=701, names=["middle"], **SIZES)
    assert report == replace(
        reports()[1], station=0, name="middle", change=None, change_within_type=None
    )


def test_every_device_gives_nearly_the_same(device):
    model = language_model().to(device)
    found_reports = what_layers_hold(model, batches(), special=SPECIAL, rows=701, **SIZES)
    for report, wanted in zip(found_reports, reports(), strict=True):
        assert report.neighbours.share == pytest.approx(wanted.neighbours.share, abs=0.01)
        assert report.position_distance == pytest.approx(wanted.position_distance, abs=0.01)
        assert report.change == (
            None if wanted.change is None else pytest.approx(wanted.change, abs=1e-4)
        )


# the table

INFORMATION = AccessibleInformation(
    plug_in=2.345, held_out=1.5, shuffled=0.25, spread=0.1, entropy=3.75, smoothing=1.0, tokens=97
)
FIRST = LayerReport(0, "embedding", INFORMATION, None, None, NeighbourShare(0.875, 1.0, 0.1), 1.0)
SECOND = replace(
    FIRST, station=1, name="1", change=0.0625, change_within_type=0.5, position_distance=0.3
)


def test_the_table_by_hand():
    head, first, second = report_table([FIRST, SECOND]).split("\n")
    assert head.split()[:4] == ["station", "I(T;", "C)", "held-out"]
    assert head.split()[4:] == [
        "shuffled", "H(T)", "change", "in", "type", "neighbours", "ceiling", "position"
    ]  # fmt: skip
    numbers = ["1.50", "0.25", "3.75"]
    assert first.split() == ["embedding", "2.35", *numbers, "–", "–", "0.88", "1.00", "1.00"]
    assert second.split() == ["1", "2.35", *numbers, "0.06", "0.50", "0.88", "1.00", "0.30"]
    assert len({len(line) for line in (head, first, second)}) == 1
    assert head.index("held-out") + len("held-out") == first.index("1.50") + 4  # right-aligned


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="reports: expected at least one, got none"):
        report_table([])


# refusals


def test_few_tokens_for_each_feature_bring_one_warning_at_the_line_that_asked():
    with pytest.warns(
        FewSamplesWarning, match="rows: expected at least 100 samples .*, 600 in all"
    ):
        what_layers_hold(language_model(), batches(), rows=499, **SIZES)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report_on_states(found(), rows=499, **SIZES)
    assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report_on_states(found(), rows=601, **SIZES)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"rows": 53}, ValueError, "rows: expected at least 10 samples .* 6 features, 60 in all"),
        ({"rows": 7}, ValueError, "rows: expected an integer of at least 8, got 7"),
        ({"clusters": 0}, ValueError, "clusters: expected an integer of at least 1, got 0"),
        ({"types": 1.5}, TypeError, "types: expected an integer"),
        ({"k": 0}, ValueError, "k: expected an integer of at least 1"),
        ({"seed": -1}, ValueError, "seed: expected an integer of at least 0"),
        ({"clusters": 5003}, ValueError, "points: expected at least 5003 points for 5003 clusters"),
        ({"names": ["a", "b"]}, ValueError, "names: expected one for each of 3 stations, got 2"),
    ],
)
def test_bad_options_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        report_on_states(found(), **SIZES | options)


def test_options_are_checked_before_the_model_runs():
    def read(_model: nn.Module, _tokens: Tensor) -> list[Tensor]:
        raise AssertionError("the model ran")

    with pytest.raises(ValueError, match="seed: expected an integer of at least 0"):
        what_layers_hold(language_model(), batches(), read=read, seed=-1)


def test_too_few_tokens_are_refused_with_the_reason_of_the_part():
    few = found().select(torch.arange(len(found().tokens)) < 53)
    text = "batches: expected at least 10 samples for each of 6 features, 60 in all, got"
    with pytest.raises(ValueError, match=text):
        report_on_states(few, **SIZES)
    with pytest.raises(ValueError, match="sentences: expected at least 3 different sentences, go"):
        report_on_states(found()._replace(sentences=found().sentences % 2), **SIZES)
    with pytest.raises(ValueError, match="at different positions, got none"):
        report_on_states(found()._replace(positions=0 * found().positions), **SIZES)
