import pytest
import torch
from sklearn.datasets import load_digits

from bottomup.data import digit_images
from tests.drawn import global_seed

divide = digit_images.__wrapped__  # the function under its cache


def rows(images: torch.Tensor) -> set[tuple[int, ...]]:
    return {tuple(row) for row in images.tolist()}


def test_sizes():
    images = digit_images()
    assert images.training.shape == (1500, 64)
    assert images.test.shape == (297, 64)
    assert images.training.dtype == images.test.dtype == torch.int64
    assert [len(part) for part in divide(11)] == [1786, 11]
    assert [len(part) for part in divide(1796)] == [1, 1796]


def test_there_are_seventeen_grey_levels_in_either_part():
    for part in digit_images():
        assert part.unique().tolist() == list(range(17))


def test_no_image_is_in_both_parts_and_none_is_lost():
    training, test = digit_images()
    assert rows(training) & rows(test) == set()
    everything = torch.tensor(load_digits().data, dtype=torch.int64)
    assert rows(training) | rows(test) == rows(everything)
    assert sorted([*training.tolist(), *test.tolist()]) == sorted(everything.tolist())


def test_the_parts_are_mixed():
    """Scikit-learn's order, in which neighbours share a writer, is not kept."""
    everything = torch.tensor(load_digits().data, dtype=torch.int64)
    place = {tuple(row): index for index, row in enumerate(everything.tolist())}
    places = [place[tuple(row)] for row in digit_images().test.tolist()]
    assert min(places) < 30
    assert max(places) > 1766
    assert places != sorted(places)


def test_a_sequence_goes_row_by_row():
    data = load_digits()
    place = {tuple(row): index for index, row in enumerate(data.data.astype(int).tolist())}
    for sequence in digit_images().test[:7].tolist():
        image = data.images[place[tuple(sequence)]]
        assert all(sequence[8 * r + c] == image[r, c] for r in range(8) for c in range(8))


def test_every_call_gives_the_same_parts_and_draws_nothing_from_the_callers_generator():
    found = []
    for seed in (1, 2):
        with global_seed(seed):
            before = torch.get_rng_state()
            found.append(divide(297))
            assert torch.equal(torch.get_rng_state(), before)
    for one, other in zip(*found, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    "number, error, message",
    [
        (0, ValueError, "test_images: expected an integer of at least 1, got 0"),
        (1797, ValueError, "test_images: expected fewer than 1797, got 1797"),
        (1.5, TypeError, "test_images: expected an integer, got 1.5"),
        (True, TypeError, "test_images: expected an integer, got True"),
    ],
)
def test_a_bad_number_of_test_images_is_refused(number, error, message):
    with pytest.raises(error, match=message):
        digit_images(number)
