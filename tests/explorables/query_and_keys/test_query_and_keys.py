"""What the figure of query and keys takes, and how it refuses what is wrong."""

import json
import re

import pytest

from bottomup.explorables import query_and_keys

KEYS = {"animal": [1, 0.5], "street": [-2, 3]}


def payload(query=(1, 2), keys=KEYS) -> dict:
    return json.loads(query_and_keys("it", query, keys).data)


def test_payload_holds_the_query_first_and_the_keys_in_order():
    assert payload()["vectors"] == [
        {"word": "it", "at": [1, 2]},
        {"word": "animal", "at": [1, 0.5]},
        {"word": "street", "at": [-2, 3]},
    ]


def test_it_starts_with_the_dot_product_at_temperature_1():
    made = payload()
    assert made["scores"] == ["dot", "cosine"]
    assert made["temperatures"][made["temperature"]] == 1
    assert (min(made["temperatures"]), max(made["temperatures"])) == (0.1, 5)
    assert made["temperatures"] == sorted(made["temperatures"])


def test_table_shows_dot_products_and_weights():
    # 1 * 1 + 2 * 0.5 = 2 and 1 * -2 + 2 * 3 = 4, so the second weight is 1 / (1 + exp(-2)) = 0.881.
    table = query_and_keys("it", [1, 2], KEYS).fallback
    assert re.findall(r">(-?[\d.]+)</td>", table) == ["2.00", "0.119", "4.00", "0.881"]
    assert ">dot product</th>" in table
    # (1, 0.5) * 0.119 + (-2, 3) * 0.881
    assert "Output: (-1.64, 2.70)" in table


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"keys": {c: [1, 2] for c in "abcdefg"}}, "keys: expected 2 to 6, got 7"),
        ({"keys": {"a": [1, 2], "x" * 11: [1, 2]}}, "keys: .* 1 to 10 letters, got 'xxxx"),
        ({"keys": {"a": [1, 2], "b": [1, 3.5]}}, r"keys\['b'\]: .* in \[-3, 3\], got 3.5"),
        ({"query": [1, 2, 3]}, r"query: expected axes \[coordinate=2\], got shape \(3,\)"),
        ({"query": [-3.1, 0]}, r"query: expected numbers in \[-3, 3\]"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        payload(**arguments)


def test_a_word_that_is_no_string_is_refused():
    with pytest.raises(TypeError, match="word: expected a string, got None"):
        query_and_keys(None, [1, 2], KEYS)
