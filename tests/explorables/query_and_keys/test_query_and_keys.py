"""What the figure of query and keys takes, and how it refuses what is wrong."""

import json
import re

import pytest

from bottomup.explorables import query_and_keys

KEYS = {"animal": [1, 0.5], "street": [-2, 3]}


def payload(query=(1, 2), keys=KEYS, **options) -> dict:
    return json.loads(query_and_keys("it", query, keys, **options).data)


def test_payload_holds_the_query_first_and_the_keys_in_order():
    assert payload()["vectors"] == [
        {"word": "it", "at": [1, 2]},
        {"word": "animal", "at": [1, 0.5]},
        {"word": "street", "at": [-2, 3]},
    ]


def test_temperature_is_a_place_on_the_slider():
    made = payload(temperature=0.5)
    assert made["temperatures"][made["temperature"]] == 0.5
    assert (min(made["temperatures"]), max(made["temperatures"])) == (0.1, 5)
    assert made["temperatures"] == sorted(made["temperatures"])


def test_the_score_asked_for_comes_first():
    assert payload()["scores"] == ["dot", "cosine"]
    assert payload(score="cosine")["scores"] == ["cosine", "dot"]


def numbers(html: str) -> list[float]:
    return [float(number) for number in re.findall(r">(-?[\d.]+)</td>", html)]


def test_table_shows_dot_products_and_weights():
    # 1 * 1 + 2 * 0.5 = 2 and 1 * -2 + 2 * 3 = 4, so the second weight is 1 / (1 + exp(-2)) = 0.881.
    table = query_and_keys("it", [1, 2], KEYS).fallback
    assert numbers(table) == [2, 0.119, 4, 0.881]
    assert ">dot product</th>" in table
    # (1, 0.5) * 0.119 + (-2, 3) * 0.881
    assert "Output: (-1.64, 2.70)" in table


def test_table_shows_cosines_over_temperature():
    # 2 / (sqrt(5) sqrt(1.25)) = 0.8 and 4 / (sqrt(5) sqrt(13)) = 0.496; the difference over 0.5 is
    # 0.6077, and 1 / (1 + exp(-0.6077)) = 0.647.
    table = query_and_keys("it", [1, 2], KEYS, score="cosine", temperature=0.5).fallback
    assert numbers(table) == [0.8, 0.647, 0.5, 0.353]
    assert ">cosine</th>" in table
    assert "at temperature 0.5" in table


def test_a_query_of_length_zero_reads_all_keys_alike():
    assert numbers(query_and_keys("it", [0, 0], KEYS, score="cosine").fallback) == [0, 0.5, 0, 0.5]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"keys": {"a": [1, 2]}}, "keys: expected 2 to 6, got 1"),
        ({"keys": {c: [1, 2] for c in "abcdefg"}}, "expected 2 to 6, got 7"),
        ({"keys": {"a": [1, 2], "x" * 11: [1, 2]}}, "keys: .* 1 to 10 letters, got 'xxxx"),
        ({"keys": {"a": [1, 2], "b": [1, 3.5]}}, r"keys\['b'\]: .* in \[-3, 3\], got 3.5"),
        ({"query": [1, 2, 3]}, r"query: expected axes \[coordinate=2\], got shape \(3,\)"),
        ({"query": [-3.1, 0]}, r"query: expected numbers in \[-3, 3\]"),
        ({"temperature": 0.6}, "temperature: expected one of 0.1, .* got 0.6"),
        ({"score": "general"}, "score: expected one of 'dot', 'cosine', got 'general'"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        payload(**arguments)


def test_a_word_that_is_no_string_is_refused():
    with pytest.raises(TypeError, match="word: expected a string, got None"):
        query_and_keys(None, [1, 2], KEYS)
