"""What the figure of all layers takes, what its table shows, and how it refuses what is wrong."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from bottomup.explorables import LayersOfSentence, layer_attention

SOURCE, TARGET = ["a", "b", "<eos>"], ["<bos>", "c"]
# Two layers of one head: in the first the words read the first word, in the second all alike.
ENCODER = [[[[1.0, 0.0, 0.0], [0.254, 0.746, 0.0], [1.0, 0.0, 0.0]]], [[[1 / 3] * 3] * 3]]
DECODER = [[[[1.0, 0.0], [1.0, 0.0]]], [[[1.0, 0.0], [0.5, 0.5]]]]
CROSS = [[[[0.1, 0.2, 0.7], [0.0, 1.0, 0.0]]], [[[0.5, 0.25, 0.25], [0.3, 0.3, 0.4]]]]
SENTENCE = LayersOfSentence(SOURCE, TARGET, ENCODER, DECODER, CROSS)


def payload(*sentences: LayersOfSentence) -> dict:
    return json.loads(layer_attention(list(sentences)).data)


def test_payload_holds_words_and_weights_in_hundredths():
    [sentence] = payload(SENTENCE)["sentences"]
    assert (sentence["source"], sentence["target"]) == (SOURCE, TARGET)
    assert sentence["title"] == "a b"
    assert sentence["encoder"] == [
        [[[100, 0, 0], [25, 75, 0], [100, 0, 0]]],
        [[[33, 33, 33]] * 3],
    ]
    assert sentence["decoder"] == [[[[100, 0], [100, 0]]], [[[100, 0], [50, 50]]]]
    assert sentence["cross"] == [[[[10, 20, 70], [0, 100, 0]]], [[[50, 25, 25], [30, 30, 40]]]]


def test_table_shows_the_mean_cross_attention_of_the_last_layer():
    two_heads = [
        [[[1.0, 0.0, 0.0]] * 2] * 2,
        [[[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], [[0.25, 0.25, 0.5], [0.0, 0.5, 0.5]]],
    ]
    doubled = [np.repeat(weights, 2, axis=1) for weights in (ENCODER, DECODER)]
    table = layer_attention([LayersOfSentence(SOURCE, TARGET, *doubled, two_heads)]).fallback
    assert re.findall(r">([\d.]+)</td>", table) == "0.38 0.38 0.25 0.00 0.25 0.75".split()
    assert re.findall(r'scope="row"[^>]*>([^<]*)', table) == ["&lt;bos&gt;", "c"]
    assert re.findall(r'scope="col"[^>]*>([^<]*)', table) == ["a", "b", "&lt;eos&gt;"]
    assert "Cross-attention of layer 2, mean over 2 heads, for “a b”" in table


AHEAD = [DECODER[0], [[[0.9, 0.1], [0.5, 0.5]]]]


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"source": "abc"}, TypeError, r"sentences\[0\].source: expected a list of strings"),
        ({"target": ["<bos>"]}, ValueError, "target: expected 2 to 12, got 1"),
        ({"source": ["a"] * 13}, ValueError, "source: expected 2 to 12, got 13"),
        ({"target": ["c" * 13, "d"]}, ValueError, "1 to 12 letters, got 'ccccccccccccc'"),
        ({"cross": DECODER}, ValueError, r"cross: .* \[layer, head, target=2, source=3\], got"),
        ({"encoder": ENCODER[0]}, ValueError, "encoder: expected axes .layer, head"),
        ({"cross": 2 * np.array(CROSS)}, ValueError, "cross: .* sum to at most 1, got 2"),
        ({"decoder": AHEAD}, ValueError, r"decoder: .* no weight on a later position, got 0.1"),
        ({"decoder": np.zeros((2, 3, 2, 2))}, ValueError, r"\[0\].decoder: expected 2 layers of 1"),
    ],
)
def test_wrong_sentences_are_refused_by_name(changes, error, message):
    with pytest.raises(error, match=message):
        payload(replace(SENTENCE, **changes))


def test_sentences_of_another_network_and_none_are_refused():
    other = LayersOfSentence(SOURCE, TARGET, ENCODER[:1], DECODER[:1], CROSS[:1])
    with pytest.raises(ValueError, match=r"sentences\[1\].encoder: expected 2 layers .* got 1 lay"):
        payload(SENTENCE, other)
    with pytest.raises(ValueError, match="sentences: expected 1 or more, got 0"):
        payload()
