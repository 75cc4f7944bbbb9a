import pytest
import torch

from bottomup.data import ImageStream, TokenBatch, WindowStream

IMAGES = torch.arange(5 * 3).reshape(5, 3)  # a row says which image it is
TEXT = torch.arange(100, 117)  # a token says where it stands


def test_images_are_whole_and_all_are_drawn():
    batch = ImageStream(IMAGES, batch_size=200, seed=3)(0)
    assert batch.sequences.shape == (200, 3)
    assert batch.tokens == 600 and TokenBatch(IMAGES).tokens == 15
    known = {tuple(row) for row in IMAGES.tolist()}
    assert {tuple(row) for row in batch.sequences.tolist()} == known


@pytest.mark.parametrize("length", [1, 5, 16, 17])
def test_windows_are_pieces_of_the_text_from_everywhere(length: int):
    rows = WindowStream(TEXT, length=length, batch_size=400, seed=3)(0).sequences
    starts = rows[:, 0] - 100
    assert torch.equal(rows, starts[:, None] + 100 + torch.arange(length))
    assert set(starts.tolist()) == set(range(17 - length + 1))
