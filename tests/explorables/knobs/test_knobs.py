import json
import re

import ipywidgets
import pytest

from bottomup.explorables import knobs
from tests.explorables.demo import CHANCES, chances

WIDGET = "application/vnd.jupyter.widget-view+json"


def payload(made):
    return json.loads(made.recorded.data)


def test_one_output_holds_widget_and_recorded_figure():
    bundle = CHANCES._repr_mimebundle_()
    assert set(bundle) == {WIDGET, "text/html", "text/plain"}
    assert bundle["text/html"] == CHANCES.recorded._repr_html_()


def test_all_settings_are_recorded_the_last_axis_fastest_each_table_once():
    made = payload(knobs("sums", lambda a, b: {"sum": 10 * a + b}, a=[1, 2], b=range(3)))
    assert [made["tables"][state][1] for state in made["states"]] == [10, 11, 12, 20, 21, 22]
    made = payload(knobs("signs", lambda x: {"sign": x > 0}, x=(-2, 2, 1)))
    assert (made["tables"], made["states"]) == ([[0, 0], [0, 1]], [0, 0, 0, 1, 1])
    (axis,) = payload(knobs("x", lambda x: {"x": x}, x=(0.0, 0.3, 0.1)))["axes"]
    assert axis["texts"] == ["0", "0.1", "0.2", "0.3"]
    made = payload(knobs("sums", lambda a, b=2: {"sum": a + b}, a=[3, 4], b=[1, 2]))
    assert made["start"] == [0, 1]


def test_without_a_script_the_first_setting_is_there():
    fallback = CHANCES.recorded.fallback
    assert "temperature 1, k 2" in fallback
    assert "-0.00" not in knobs("x", lambda x: {"x": -x}, x=[0.001, 1.0]).recorded.fallback
    assert fallback.count(">cut<") == 1
    assert ">0.73<" in fallback and "73%" in fallback


def test_without_a_script_the_names_of_bars_stand_above_their_numbers():
    def sides(columns: str) -> set[str]:
        made = knobs("x", lambda x: {"a": dict.fromkeys(columns, x), "b": dict.fromkeys(columns)},
                     x=[1, 2])  # fmt: skip
        cells = re.findall(r'<(?:th scope="col"|td) style="([^"]*text-align[^"]*)"',
                           made.recorded.fallback)  # fmt: skip
        assert len(cells) == 3 * len(columns)  # heads, numbers, and what was cut
        return {re.search(r"text-align: (\w+)", cell)[1] for cell in cells}

    assert sides("xyz") == {"left"}
    assert sides("wxyz") == {"right"}


def test_widgets_call_the_function_again():
    temperature, k, shown = CHANCES.widget().children
    assert (temperature.value, k.value) == (1.0, 2)
    assert shown.value == CHANCES.recorded.fallback
    k.value = 3
    assert shown.value.count(">cut<") == 0
    k.value = 1
    assert shown.value.count(">cut<") == 2 and ">1.00<" in shown.value


@pytest.mark.parametrize(
    "axis, kind, other",
    [
        ((0.0, 1.0, 0.5), ipywidgets.FloatSlider, 0.37),
        ([1, 2, 5], ipywidgets.IntSlider, 4),
        ([0.01, 1.0, 100.0], ipywidgets.FloatLogSlider, 31.0),
        ([100, 1_000_000], ipywidgets.BoundedIntText, 5_000),
        ((-4, 4, 1), ipywidgets.IntSlider, -3),
    ],
)
def test_a_widget_takes_what_the_page_has_no_stop_for(axis, kind, other):
    asked = []
    knob, _shown = knobs("x", lambda x: {"x": asked.append(x) or x}, x=axis).widget().children
    assert type(knob) is kind
    knob.value = other
    assert asked[-1] == other and type(asked[-1]) is type(other)


def test_a_bar_stays_in_its_cell_and_any_error_of_a_value_is_shown():
    known = {"a": 1, "b": 2, "c": 1000}
    field, shown = knobs("x", lambda y="a": {"x": known[y]}, y=["a", "b"]).widget().children
    field.value = "c"
    assert "1000.00" in shown.value and "100%" in shown.value
    field.value = "d"
    assert shown.value == "<p>&#x27;d&#x27;</p>"


def lengths(sentence: str = "a dog") -> dict[str, float]:
    if "<" in sentence:
        raise ValueError(f"no word: {sentence}")
    return {f"{word} {place}": len(word) for place, word in enumerate(sentence.split())}


def test_a_field_takes_other_words_and_an_error_is_shown():
    field, shown = knobs("Letters", lengths, sentence=["a dog", "cats"]).widget().children
    assert isinstance(field, ipywidgets.Combobox)
    field.value = "seventeen owls"
    assert "seventeen 0" in shown.value and ">9.00<" in shown.value
    field.value = "<b>"
    assert shown.value == "<p>no word: &lt;b&gt;</p>"


def test_rows_and_columns_may_change_with_the_setting():
    made = payload(knobs("Letters", lengths, sentence=["a dog", "cats", "a cat"]))
    assert made["names"] == [
        [["a 0", "dog 1"], [""]], [["cats 0"], [""]], [["a 0", "cat 1"], [""]],
    ]  # fmt: skip
    assert made["axes"] == [
        {"name": "sentence", "texts": ["a dog", "cats", "a cat"], "words": True}
    ]


@pytest.mark.parametrize(
    "function, axis, message",
    [
        (lambda temperature: 1, [1, 2], "expected a mapping from names, got int"),
        (chances, [1], "temperature: expected two or more values, got [1]"),
        (chances, [0.5, 2.0], "temperature: expected one of 0.5, 2.0, got 1.0"),
        (lambda temperature: {}, [1, 2], "expected rows with the same columns"),
        (lambda temperature: {"a": {"x": 1}, "b": {"y": 1}}, [1, 2], "with the same columns"),
        (lambda temperature: {"a": temperature}, range(9999), "at most 15000: take larger steps"),
        (lambda temperature: {"a": float("nan")}, [1, 2], "expected finite numbers"),
    ],
)
def test_what_cannot_be_shown_is_refused(function, axis, message: str):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        knobs("title", function, temperature=axis)
