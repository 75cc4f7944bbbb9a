import torch
from sklearn.datasets import load_digits

from bottomup.data import digit_images
from tests.drawn import global_seed

divide = digit_images.__wrapped__  # the function under its cache


def test_every_image_of_scikit_learn_is_in_one_part_row_by_row_and_mixed():
    training, test = digit_images()
    assert (training.shape, test.shape) == ((1500, 64), (297, 64))
    assert training.dtype == test.dtype == torch.int64
    place = {}  # scikit-learn's order, in which neighbours share a writer, is not kept
    for index, image in enumerate(load_digits().images.astype(int).tolist()):
        place[tuple(grey for row in image for grey in row)] = index
    assert sorted(place[tuple(row)] for part in digit_images() for row in part.tolist()) == sorted(
        place.values()
    )
    places = [place[tuple(row)] for row in test.tolist()]
    assert min(places) < 30 and max(places) > 1766 and places != sorted(places)
    for part in (training, test):
        assert part.unique().tolist() == list(range(17))  # grey levels
    assert [len(part) for part in divide(1796)] == [1, 1796]


def test_every_call_gives_the_same_parts_and_draws_nothing_from_the_callers_generator():
    found = []
    for seed in (1, 2):
        with global_seed(seed):
            before = torch.get_rng_state()
            found.append(divide(297))
            assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))
