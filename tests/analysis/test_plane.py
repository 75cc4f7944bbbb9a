"""One plane for the states of all stations: by hand, by PCA, what moves no point, bad input."""

import pytest
import torch
from sklearn.decomposition import PCA
from torch import Tensor

from bottomup.analysis import principal_plane
from tests.analysis.representations import draw, turn

# Five tokens at two stations, three directions that share no token: 38 along the second, 14 along
# the first, 4 along the third.
DIRECTIONS = (
    ([3, -1, -2, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, -1]),
    ([0, 0, 0, 0, 0], [0, 5, -3, -2, 0], [1, 0, 0, 0, -1]),
)
SHIFTS = torch.tensor([[7.0, 11.0, 13.0], [-17.0, 19.0, 23.0]], dtype=torch.float64)
STATES = torch.tensor(DIRECTIONS, dtype=torch.float64).mT + SHIFTS[:, None]
POINTS = torch.tensor(
    [[[0, 3], [0, -1], [0, -2], [0, 0], [0, 0]], [[0, 0], [5, 0], [-3, 0], [-2, 0], [0, 0]]],
    dtype=torch.float64,
)


def close(found: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-12)


# by hand


def test_two_stations_by_hand():
    assert STATES.shape == (2, 5, 3)
    close(principal_plane(list(STATES)), POINTS)
    close(principal_plane(STATES), POINTS)  # one tensor [station, token, d_model]


def test_the_largest_coordinate_of_an_axis_is_positive():
    close(principal_plane(-STATES), POINTS)
    turned = STATES * torch.tensor([-1.0, 1.0, 1.0])
    close(principal_plane(turned), POINTS)
    # the largest number counts, not the largest sum: 3 against two of -2
    line = torch.tensor([[3.0, 0.0], [-2.0, 0.0], [-2.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
    assert principal_plane([line])[0, :, 0].tolist() == pytest.approx([3, -2, -2, 1])


# against another way, and properties


def test_of_one_station_it_is_the_principal_components(generator):
    states = draw(generator, 101, 7) * torch.arange(1, 8)
    (found,) = principal_plane([states])
    wanted = torch.from_numpy(PCA(2).fit_transform(states.numpy()))
    close(found.abs(), wanted.abs())
    largest = found.gather(0, found.abs().argmax(dim=0, keepdim=True))
    assert (largest > 0).all()


def stations(generator: torch.Generator) -> Tensor:
    """Three stations of 41 tokens in seven directions, each station with its own centre."""
    return draw(generator, 3, 41, 7) * torch.arange(1, 8) + 10 * draw(generator, 3, 1, 7)


def test_each_station_is_centred_by_itself(generator):
    states = stations(generator)
    found = principal_plane(states)
    assert found.shape == (3, 41, 2)
    assert found.mean(dim=1).abs().max() < 1e-12
    close(principal_plane(states + 5 * draw(generator, 3, 1, 7)), found)


def test_a_turn_of_all_stations_leaves_the_points_and_a_factor_stretches_them(generator):
    states = stations(generator)
    found = principal_plane(states)
    close(principal_plane(states @ turn(generator, 7)), found)
    close(principal_plane(7 * states), 7 * found)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_a_large_centre_costs_no_digits(generator, dtype):
    states = (100 + draw(generator, 3, 41, 7) * torch.arange(1, 8)).to(dtype)
    found, wanted = principal_plane(states), principal_plane(states.double())
    assert found.dtype == dtype
    assert (found.double() - wanted).abs().max() <= 10 * torch.finfo(dtype).eps


# refusals


@pytest.mark.parametrize(
    ("states", "error", "text"),
    [
        ([], ValueError, "states: expected at least one station, got none"),
        ([STATES[0], 7], TypeError, r"states\[1\]: expected a torch.Tensor, got int"),
        ([STATES[0], STATES[1, :4]], ValueError, r"states\[1\]: expected axes \[token=5,"),
        (STATES[:, :1], ValueError, r"states\[0\]: expected at least 2 tokens and features, got"),
        (STATES[..., :1], ValueError, r"tokens and features, got \(5, 1\)"),
        ([STATES[0], STATES[1] / 0], ValueError, r"states\[1\]: expected finite numbers, got"),
    ],
)
def test_bad_input_is_refused(states, error, text):
    with pytest.raises(error, match=text):
        principal_plane(states)
