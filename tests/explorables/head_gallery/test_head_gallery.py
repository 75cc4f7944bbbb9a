"""What the gallery of heads takes, what its table shows, and how it refuses what is wrong."""

import json
import re

import numpy as np
import pytest

from bottomup.explorables import HeadsOfSentence, head_gallery

WORDS = ["a", "b", "c"]
# Two layers of one head: the first reads what stands before, the second everything alike.
BEFORE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.254, 0.746, 0.0]]
WEIGHTS = [[BEFORE], [[[1 / 3] * 3] * 3]]
ACCURACY = [[0.98765, 0.5], [0.98765, 0.25]]


def of(words=WORDS, weights=WEIGHTS, **options) -> list[HeadsOfSentence]:
    return [HeadsOfSentence(words, weights, **options)]


def payload(sentences=None, accuracy=ACCURACY, chance=0.125, parts=None) -> dict:
    shown = of() if sentences is None else sentences
    return json.loads(head_gallery(shown, accuracy=accuracy, chance=chance, parts=parts).data)


def test_payload_holds_weights_in_hundredths_and_accuracies_in_millionths():
    made = payload(parts={"half": ACCURACY})
    [sentence] = made["sentences"]
    assert sentence["words"] == sentence["queries"] == WORDS
    assert sentence["weights"] == [
        [[[0, 0, 0], [100, 0, 0], [25, 75, 0]]],
        [[[33, 33, 33]] * 3],
    ]
    assert made["accuracy"] == [[987650, 500000], [987650, 250000]]
    assert made["parts"] == [{"name": "half", "accuracy": made["accuracy"]}]
    assert made["chance"] == 0.125
    assert payload()["parts"] == []


def test_only_a_network_of_several_layers_explains_that_one_is_switched_at_a_time():
    assert "one layer at a time" in payload()["labels"]["one_layer"]
    alone = payload(of(weights=WEIGHTS[:1]), accuracy=ACCURACY[:1])
    assert alone["labels"]["one_layer"] == ""


def test_queries_may_have_names_of_their_own():
    asked = of(weights=np.zeros((1, 2, 4, 3)), queries=["who", "what", "to", "when"])
    [sentence] = payload(asked, accuracy=[[0.9] * 4])["sentences"]
    assert (sentence["words"], len(sentence["queries"])) == (WORDS, 4)


def test_table_shows_the_accuracy_with_each_head_off_alone():
    first = [0.9, 0.1, 0.2, 0.91, 0.3, 0.92, 0.93, 0.94]  # 1, 2 and 4 hold one head each
    second = [0.9, 0.4, 376 / 396, 0, 0.6, 0, 0, 0]  # rounded once: by way of 0.9495 it is 0.950
    sentences = of(weights=np.zeros((2, 3, 3, 3)))
    table = head_gallery(sentences, accuracy=[first, second], chance=0.2).fallback
    cells = re.findall(r">([\d.]+)</td>", table)
    assert cells == ["0.100", "0.200", "0.300", "0.400", "0.949", "0.600"]
    assert re.findall(r'scope="row"[^>]*>([^<]*)', table) == ["Layer 1", "Layer 2"]
    assert re.findall(r'scope="col"[^>]*>([^<]*)', table) == ["head 1", "head 2", "head 3"]
    assert "All heads on: 0.900. Chance: 0.200." in table


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"sentences": []}, ValueError, "sentences: expected 1 or more, got 0"),
        ({"sentences": of(["a"] * 13)}, ValueError, r"\[0\].words: expected 2 to 12, got 13"),
        ({"sentences": of(["a", "c" * 12])}, ValueError, "words: .* 1 to 11 letters, got 'ccc"),
        ({"sentences": of(["a", "b"])}, ValueError, r"axes \[layer, head, query=2, key=2\], got"),
        ({"sentences": of(queries=["a", "b"])}, ValueError, r"axes .* query=2, key=3\], got shape"),
        ({"sentences": of(queries=["a", 3, "b"])}, TypeError, r"\.queries: expected a string"),
        ({"sentences": of(weights=[[[[1, 1]] * 2]])}, ValueError, r"\[0\].weights: expected"),
        (
            {"sentences": of() + of(weights=np.zeros((2, 2, 3, 3)))},
            ValueError,
            r"sentences\[1\].weights: expected 2 layers of 1 heads as in sentences\[0\].weights",
        ),
        ({"accuracy": ACCURACY[:1]}, ValueError, "accuracy: expected 2 lists, one a layer, got 1"),
        ({"accuracy": [[0.9, 0.5], [0.9]]}, ValueError, r"accuracy\[1\]: .* axes \[subset=2\]"),
        ({"accuracy": [[0.9, 0], [0.9, 1.5]]}, ValueError, r"accuracy\[1\]: .*\[0, 1\], got 1.5"),
        ({"accuracy": [[0.9, 0.5], [0.8, 0.5]]}, ValueError, "one accuracy with all heads on"),
        ({"parts": {"x": ACCURACY[:1]}}, ValueError, r"parts\['x'\]: expected 2 lists"),
        ({"chance": 1.2}, ValueError, "chance: expected a number >= 0 and <= 1, got 1.2"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        payload(**arguments)
