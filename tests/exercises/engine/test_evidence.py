"""The evidence of a report: which case, and how much of it."""

from bottomup.exercises.engine.evidence import LINES_OF_INPUTS, shortened


def lines(texts: tuple[tuple[str, str], ...]) -> int:
    return sum(text.count("\n") + 1 for _name, text in texts)


def test_the_longest_inputs_are_cut_to_dtype_and_shape_until_all_are_short():
    matrix = "float32 (10, 3)" + "\n[ 1. 2. 3.]" * 10
    inputs = {"x": matrix, "W": matrix.replace("10", "30", 1) + "\n[]" * 20, "n": "2", "V": matrix}
    shown = dict(shortened(inputs))
    assert shown == {"x": matrix, "W": "float32 (30, 3)", "n": "2", "V": matrix}
    assert lines(shortened({f"x{n}": matrix for n in range(9)})) <= LINES_OF_INPUTS


def test_short_inputs_are_shown_as_they_are():
    inputs = {"x": "float32 (2,)\n[1. 2.]", "p": "0.6"}
    assert shortened(inputs) == tuple(inputs.items())
