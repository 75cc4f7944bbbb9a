from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from bottomup.data import ImageStream, TokenBatch, WindowStream
from bottomup.training.loop import TrainingBatch

IMAGES = torch.arange(5 * 3).reshape(5, 3)  # a row says which image it is
TEXT = torch.arange(100, 117)  # a token says where it stands


def images(batch_size: int = 7, seed: int = 3) -> ImageStream:
    return ImageStream(IMAGES, batch_size=batch_size, seed=seed)


def windows(batch_size: int = 7, seed: int = 3, length: int = 5) -> WindowStream:
    return WindowStream(TEXT, length=length, batch_size=batch_size, seed=seed)


STREAMS = {"images": images, "windows": windows}
of_each_kind = pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)


def test_a_batch_counts_every_token():
    batch = TokenBatch(IMAGES)
    assert batch.tokens == 15
    assert isinstance(batch, TrainingBatch)


def test_a_batch_moves(device):
    moved = TokenBatch(IMAGES).to(device)
    assert moved.sequences.device.type == device.type
    assert torch.equal(moved.sequences.cpu(), IMAGES)


@of_each_kind
def test_a_batch_depends_on_seed_and_step_alone(stream: Callable[..., ImageStream | WindowStream]):
    one, again, other = stream(), stream(), stream(seed=4)
    one(0), one(5)  # what was asked before does not count
    for step in (0, 1, 11):
        assert torch.equal(one(step).sequences, again(step).sequences)
    assert not torch.equal(one(0).sequences, one(1).sequences)
    assert any(not torch.equal(one(n).sequences, other(n).sequences) for n in range(3))


@of_each_kind
def test_neighbouring_seeds_and_steps_share_no_batch(stream):
    found = {
        tuple(stream(batch_size=31, seed=seed)(step).sequences.flatten().tolist())
        for seed in range(4)
        for step in range(5)
    }
    assert len(found) == 20


@of_each_kind
def test_the_callers_random_numbers_stay(stream):
    before = torch.get_rng_state()
    stream()(2)
    assert torch.equal(torch.get_rng_state(), before)


def test_images_are_whole_and_all_are_drawn():
    batch = images(batch_size=200)(0)
    assert batch.sequences.shape == (200, 3)
    assert batch.tokens == 600
    known = {tuple(row) for row in IMAGES.tolist()}
    assert {tuple(row) for row in batch.sequences.tolist()} == known


def starts(batch: TokenBatch) -> Tensor:
    return batch.sequences[:, 0] - 100


@pytest.mark.parametrize("length", [1, 5, 16])
def test_windows_are_pieces_of_the_text_from_everywhere(length):
    batch = windows(batch_size=400, length=length)(0)
    assert batch.sequences.shape == (400, length)
    expected = starts(batch)[:, None] + 100 + torch.arange(length)
    assert torch.equal(batch.sequences, expected)
    assert set(starts(batch).tolist()) == set(range(17 - length + 1))


def test_a_window_may_be_the_whole_text():
    assert torch.equal(windows(length=17, batch_size=2)(0).sequences, torch.stack([TEXT, TEXT]))


@of_each_kind
@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"batch_size": 0}, ValueError, "batch_size: expected an integer of at least 1, got 0"),
        ({"batch_size": 2.0}, TypeError, "batch_size: expected an integer, got 2.0"),
        ({"seed": -1}, ValueError, "seed: expected an integer of at least 0, got -1"),
        ({"seed": None}, TypeError, "seed: expected an integer, got None"),
    ],
)
def test_bad_numbers_are_refused(stream, options, error, message):
    with pytest.raises(error, match=message):
        stream(**options)


@of_each_kind
def test_a_bad_step_is_refused(stream):
    with pytest.raises(ValueError, match="step: expected an integer of at least 0, got -1"):
        stream()(-1)
    with pytest.raises(TypeError, match="step: expected an integer, got 0.5"):
        stream()(0.5)


def test_a_bad_length_is_refused():
    with pytest.raises(ValueError, match="length: expected an integer of at least 1, got 0"):
        windows(length=0)
    with pytest.raises(ValueError, match="length: expected at most the 17 of the text, got 18"):
        windows(length=18)


@pytest.mark.parametrize(
    "given, error, message",
    [
        (IMAGES.float(), TypeError, "images: expected token numbers of dtype torch.int64"),
        (IMAGES[0], ValueError, r"images: expected non-empty axes \[image, pixel\], got \(3,\)"),
        (IMAGES[:0], ValueError, r"images: expected non-empty axes \[image, pixel\]"),
        (IMAGES - 1, ValueError, r"images: expected token numbers in \[0, .*\), got -1"),
    ],
)
def test_bad_images_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        ImageStream(given, batch_size=1, seed=0)


@pytest.mark.parametrize(
    "given, error, message",
    [
        (TEXT.int(), TypeError, "text: expected token numbers of dtype torch.int64"),
        (IMAGES, ValueError, r"text: expected non-empty axes \[position\], got \(5, 3\)"),
        (TEXT - 101, ValueError, r"text: expected token numbers in \[0, .*\), got -1"),
    ],
)
def test_a_bad_text_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        WindowStream(given, length=2, batch_size=1, seed=0)
