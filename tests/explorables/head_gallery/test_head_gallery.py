"""What the gallery of heads takes, how small it stays, and how it refuses what is wrong."""

import gzip
import json
import re

import numpy as np
import pytest
import torch

from bottomup.explorables import HeadsOfSentence, head_gallery

WORDS = ["a", "b", "c"]
# Two layers of one head: the first reads what stands before, the second everything alike.
BEFORE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.254, 0.746, 0.0]]
WEIGHTS = [[BEFORE], [[[1 / 3] * 3] * 3]]
ACCURACY = [[0.98765, 0.5], [0.98765, 0.25]]


def payload(sentences=None, accuracy=ACCURACY, chance=0.125, parts=None) -> dict:
    if sentences is None:
        sentences = [HeadsOfSentence(WORDS, WEIGHTS)]
    made = head_gallery(sentences, accuracy=accuracy, chance=chance, parts=parts)
    return json.loads(made.data)


def test_payload_holds_weights_in_hundredths_by_layer_and_head():
    [sentence] = payload()["sentences"]
    assert sentence["words"] == WORDS
    assert sentence["weights"] == [
        [[[0, 0, 0], [100, 0, 0], [25, 75, 0]]],
        [[[33, 33, 33]] * 3],
    ]


def test_payload_holds_accuracies_in_millionths():
    made = payload()
    assert made["accuracy"] == [[987650, 500000], [987650, 250000]]
    assert made["chance"] == 0.125


def test_title_has_no_space_before_a_full_stop():
    end = HeadsOfSentence(["no", ",", "never", "."], np.zeros((2, 1, 4, 4)))
    assert payload([end])["sentences"][0]["title"] == "no, never."


def test_only_a_network_of_several_layers_explains_that_one_is_switched_at_a_time():
    assert "one layer at a time" in payload()["labels"]["one_layer"]
    alone = payload([HeadsOfSentence(WORDS, WEIGHTS[:1])], accuracy=ACCURACY[:1])
    assert alone["labels"]["one_layer"] == ""


def test_parts_are_stored_as_the_accuracy_is():
    made = json.loads(
        head_gallery(of(), accuracy=ACCURACY, chance=0, parts={"half": ACCURACY}).data
    )
    assert made["parts"] == [{"name": "half", "accuracy": made["accuracy"]}]
    assert payload()["parts"] == []


def test_queries_are_the_words_where_they_have_no_names():
    assert payload()["sentences"][0]["queries"] == WORDS
    asked = HeadsOfSentence(WORDS, np.zeros((1, 2, 4, 3)), queries=["who", "what", "to", "when"])
    [sentence] = payload([asked], accuracy=[[0.9] * 4])["sentences"]
    assert (sentence["words"], len(sentence["queries"])) == (WORDS, 4)


def test_lists_arrays_and_tensors_give_the_same_figure():
    html = {
        head_gallery(
            [HeadsOfSentence(WORDS, form(WEIGHTS))],
            accuracy=[form(subsets) for subsets in ACCURACY],
            chance=0.125,
        )._repr_html_()
        for form in (list, np.array, torch.tensor)
    }
    assert len(html) == 1


def test_table_shows_the_accuracy_with_each_head_off_alone():
    weights = np.zeros((2, 3, 3, 3))
    first = [0.9, 0.1, 0.2, 0.91, 0.3, 0.92, 0.93, 0.94]  # 1, 2 and 4 hold one head each
    table = head_gallery(
        [HeadsOfSentence(WORDS, weights)],
        accuracy=[first, [0.9, 0.4, 0.5, 0, 0.6, 0, 0, 0]],
        chance=0.2,
    ).fallback
    cells = re.findall(r">([\d.]+)</td>", table)
    assert cells == ["0.100", "0.200", "0.300", "0.400", "0.500", "0.600"]
    assert re.findall(r'scope="row"[^>]*>([^<]*)', table) == ["Layer 1", "Layer 2"]
    assert re.findall(r'scope="col"[^>]*>([^<]*)', table) == ["head 1", "head 2", "head 3"]
    assert "All heads on: 0.900. Chance: 0.200." in table


def test_an_accuracy_is_rounded_once():
    made = head_gallery(of(weights=WEIGHTS[:1]), accuracy=[[0.9, 376 / 396]], chance=0.2)
    assert "0.949" in made.fallback  # by way of 0.9495 it would be 0.950


def test_six_long_sentences_and_sixteen_heads_stay_light():
    generator = np.random.default_rng(3)
    words = [f"word{number}" for number in range(12)]
    sentences = []
    for _ in range(6):
        powers = np.exp(2 * generator.normal(size=(2, 8, 12, 12)))
        weights = powers / powers.sum(axis=-1, keepdims=True)
        sentences.append(HeadsOfSentence(words, weights))
    accuracy = generator.random((2, 256))
    accuracy[:, 0] = 0.9
    html = head_gallery(sentences, accuracy=accuracy, chance=0.1)._repr_html_()
    assert len(gzip.compress(html.encode())) < 25_000


def of(words=WORDS, weights=WEIGHTS) -> list[HeadsOfSentence]:
    return [HeadsOfSentence(words, weights)]


NEGATIVE = [[[[-0.1, 1, 0]] * 3]] * 2
TOO_MUCH = [[[[0.5, 0.5, 0.1]] * 3]] * 2


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"sentences": []}, ValueError, "sentences: expected 1 or more, got 0"),
        ({"sentences": of("abc")}, TypeError, r"sentences\[0\].words: expected a list of str"),
        ({"sentences": of(["a", "b", 3])}, TypeError, r"\[0\].words: expected a string, got 3"),
        ({"sentences": of(["a"])}, ValueError, "words: expected 2 to 12, got 1"),
        ({"sentences": of(["a"] * 13)}, ValueError, "words: expected 2 to 12, got 13"),
        ({"sentences": of(["a", "b", ""])}, ValueError, "words: .* 1 to 11 letters, got ''"),
        (
            {"sentences": of(["a", "b", "c" * 12])},
            ValueError,
            "1 to 11 letters, got 'cccccccccccc'",
        ),
        (
            {"sentences": of(["a", "b"])},
            ValueError,
            r"weights: expected axes \[layer, head, query=2, key=2\], got shape \(2, 1, 3, 3\)",
        ),
        ({"sentences": of(weights=WEIGHTS[0])}, ValueError, "expected axes .layer, head"),
        ({"sentences": of(weights="sharp")}, TypeError, "weights: expected an array of numbers"),
        ({"sentences": of(weights=NEGATIVE)}, ValueError, "numbers of at least 0, got -0.1"),
        ({"sentences": of(weights=TOO_MUCH)}, ValueError, "rows that sum to at most 1, got 1.1"),
        (
            {"sentences": of(weights=np.full((2, 1, 3, 3), np.nan))},
            ValueError,
            "weights: expected finite numbers",
        ),
        (
            {"sentences": of(weights=np.zeros((5, 9, 3, 3)))},
            ValueError,
            "at most 4 layers of at most 8 heads, got 5 layers of 9 heads",
        ),
        (
            {"sentences": of() + of(weights=np.zeros((2, 2, 3, 3)))},
            ValueError,
            r"sentences\[1\].weights: expected 2 layers of 1 heads as in sentences\[0\].weights, "
            "got 2 layers of 2 heads",
        ),
        ({"accuracy": ACCURACY[:1]}, ValueError, "accuracy: expected 2 lists, one a layer, got 1"),
        (
            {"accuracy": [[0.9, 0.5], [0.9, 0.5, 0.1]]},
            ValueError,
            r"accuracy\[1\]: expected axes \[subset=2\], got shape \(3,\)",
        ),
        ({"accuracy": [[0.9, -0.5], [0.9, 1]]}, ValueError, r"accuracy\[0\]: .*\[0, 1\], got -0.5"),
        ({"accuracy": [[0.9, 0], [0.9, 1.5]]}, ValueError, r"accuracy\[1\]: .*\[0, 1\], got 1.5"),
        ({"accuracy": [[0.9, "x"], [0.9, 1]]}, TypeError, r"accuracy\[0\]: expected an array of"),
        (
            {"accuracy": [[0.9, 0.5], [0.8, 0.5]]},
            ValueError,
            r"accuracy: expected one accuracy with all heads on, got \[0.9, 0.8\]",
        ),
        (
            {"sentences": [HeadsOfSentence(WORDS, WEIGHTS, queries=["a", "b"])]},
            ValueError,
            r"expected axes \[layer, head, query=2, key=3\], got shape \(2, 1, 3, 3\)",
        ),
        (
            {"sentences": [HeadsOfSentence(WORDS, WEIGHTS, queries=["a", "b", 3])]},
            TypeError,
            r"\[0\].queries: expected a string, got 3",
        ),
        ({"parts": {"x": ACCURACY[:1]}}, ValueError, r"parts\['x'\]: expected 2 lists"),
        ({"chance": 1.2}, ValueError, "chance: expected a number >= 0 and <= 1, got 1.2"),
        ({"chance": None}, TypeError, "chance: expected a number, got None"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        payload(**arguments)
