"""The report on any model: each number is that of its own measure, the table, refusals."""

import warnings
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor

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
from tests.analysis.small import VOCABULARY, language_model
from tests.drawn import seeded

SPECIAL = (0, 1)
SIZES = {"clusters": 29, "types": 17, "k": 7, "seed": 3}


def batches() -> list[Tensor]:
    """Tokens of unequal frequency, in batches of unequal length."""
    shares = 1 / torch.arange(1, VOCABULARY + 1)
    sizes = ((181, 5), (157, 7), (131, 3))
    generator = seeded(1)
    return [
        shares.multinomial(rows * n, replacement=True, generator=generator).view(rows, n)
        for rows, n in sizes
    ]


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


# three ways to read


def test_our_own_model_is_read_as_it_is():
    found_reports = what_layers_hold(
        language_model(), batches(), special=SPECIAL, rows=701, **SIZES
    )
    assert found_reports == reports()
    assert [(report.station, report.name) for report in reports()] == [(0, "0"), (1, "1"), (2, "2")]


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
        ({"names": ["a", "b"]}, ValueError, "names: expected one for each of 3 stations, got 2"),
    ],
)
def test_bad_options_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        report_on_states(found(), **SIZES | options)


def test_too_few_tokens_are_refused_with_the_reason_of_the_part():
    few = found().select(torch.arange(len(found().tokens)) < 53)
    text = "batches: expected at least 10 samples for each of 6 features, 60 in all, got"
    with pytest.raises(ValueError, match=text):
        report_on_states(few, **SIZES)
    with pytest.raises(ValueError, match="sentences: expected at least 3 different sentences, go"):
        report_on_states(found()._replace(sentences=found().sentences % 2), **SIZES)
    with pytest.raises(ValueError, match="at different positions, got none"):
        report_on_states(found()._replace(positions=0 * found().positions), **SIZES)
