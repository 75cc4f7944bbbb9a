"""What the mask painter takes, which masks are ready, and how it refuses what is wrong."""

import json
import re

import numpy as np
import pytest
import torch

from bottomup.attention import masked_softmax
from bottomup.explorables import mask_painter

WORDS = ["a", "b", "c", "d", "e"]
SCORES = (torch.arange(25.0).reshape(5, 5) % 7) / 2


def payload(words=WORDS, scores=SCORES) -> dict:
    return json.loads(mask_painter(words, scores).data)


def test_payload_holds_words_scores_and_the_mask_to_start_with():
    made = payload()
    assert made["words"] == WORDS
    assert torch.equal(torch.tensor(made["scores"], dtype=torch.float32), SCORES)
    assert made["masks"][made["start"]]["label"] == "causal"


READY = {
    "none": ["11111", "11111", "11111", "11111", "11111"],
    "causal": ["10000", "11000", "11100", "11110", "11111"],
    "padding (last two)": ["11100", "11100", "11100", "11100", "11100"],
    "window": ["11000", "11100", "01110", "00111", "00011"],
    "block": ["11100", "11100", "11100", "00011", "00011"],
}


def test_ready_masks_are_what_their_names_say():
    made = {
        entry["label"]: ["".join(map(str, row)) for row in entry["mask"]]
        for entry in payload()["masks"]
    }
    assert made == READY


def test_table_shows_the_weights_under_the_first_mask():
    allowed = torch.ones(5, 5, dtype=torch.bool).tril()
    weights = masked_softmax(SCORES, allowed)
    table = mask_painter(WORDS, SCORES).fallback
    cells = re.findall(r">([\d.]*)</td>", table)[1:]  # the first stands above the rows' names
    assert cells == [
        f"{weight:.2f}" if may else ""
        for weight, may in zip(
            weights.flatten().tolist(), allowed.flatten().tolist(), strict=True
        )
    ]  # fmt: skip
    assert "Weights under the mask “causal”" in table


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"words": list("abcdefg")}, "words: expected 4 to 6, got 7"),
        ({"words": ["a", "b", "c", "d", "crossing"]}, "words: .* 1 to 7 letters, got 'crossing'"),
        ({"words": list("abcda")}, "words: expected each once, got 'a' twice"),
        ({"scores": np.zeros((5, 4))}, r"scores: expected axes \[query=5, key=5\], got shape"),
        ({"scores": np.full((5, 5), np.inf)}, "scores: expected finite numbers"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        payload(**arguments)
