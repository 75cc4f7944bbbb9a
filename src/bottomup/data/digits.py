"""Scikit-learn's handwritten digits as sequences of grey levels, row by row."""

from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.checks import check_integer
from bottomup.data.remembered import remembered

SPLIT_SEED = 0  # the same images are tested in every experiment


class DigitImages(NamedTuple):
    """Images to train on and images to test, each a sequence of 64 grey levels from 0 to 16."""

    training: Int64[Tensor, "image pixel"]
    test: Int64[Tensor, "image pixel"]


@remembered
def digit_images(test_images: int = 297) -> DigitImages:
    """Return the 1,797 images of scikit-learn's `load_digits`, divided at random, always alike.

    Pixel ``8 r + c`` of a sequence stands in row r and column c.

    Args:
        test_images: how many are kept for testing.

    Source: Alpaydin & Kaynak (1998), "Optical Recognition of Handwritten Digits", 8 x 8 pixels;
    it is part of scikit-learn. Chapter 07 draws and predicts them.

    Example:
        >>> images = digit_images()
        >>> images.training.shape, images.test.shape  # 8 by 8 pixels
        (torch.Size([1500, 64]), torch.Size([297, 64]))
    """
    check_integer("test_images", test_images, at_least=1)
    from sklearn.datasets import load_digits  # it takes a second, and only the digits need it

    images = torch.tensor(load_digits().data, dtype=torch.int64)
    if test_images >= len(images):
        raise ValueError(f"test_images: expected fewer than {len(images)}, got {test_images}")
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(SPLIT_SEED))
    return DigitImages(images[order[test_images:]], images[order[:test_images]])
