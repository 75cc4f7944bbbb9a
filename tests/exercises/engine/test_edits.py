"""Mistakes written as edits: the notation, what it makes of a source, and what it refuses."""

import pytest

from bottomup.exercises.engine.edits import Change, Family, edited, read_family

SOURCE = """\
def weights(scores, mask):
    scores = torch.where(mask, scores.mean(dim=-1), -inf)
    total = scores.exp().sum(dim=-1)
    return scores.exp() / total
"""
MEAN = "scores.mean(dim=-1)"
WHERE = f"mask, {MEAN}, -inf"


def made(line: str) -> list[str]:
    return [edited(SOURCE, edit) for edit in read_family(line).edits]


def with_(*replaced: tuple[str, str]) -> str:
    source = SOURCE
    for old, new in replaced:
        assert old in source
        source = source.replace(old, new)
    return source


def test_a_line_is_a_family_of_edits_one_for_each_choice():
    family = read_family(
        "in with-loops: `-inf` → `0` or `-1e9`, and each `dim=-1` → itself or `dim=0`"
    )
    inf, axis = Change("-inf", "0"), Change("dim=-1", "dim=0", each=True)
    large = Change("-inf", "-1e9")
    assert family == Family("with-loops", ((inf,), (inf, axis), (large,), (large, axis)))


def test_a_line_without_a_choice_that_changes_anything_holds_no_edit():
    assert read_family("`-inf` → itself").edits == ()


@pytest.mark.parametrize(
    "line, replaced",
    [
        ("`-inf` → `0`", [("-inf", "0")]),
        ("each `dim=-1` → `dim=0`", [("dim=-1", "dim=0")]),
        ("each `.exp()` → nothing", [(".exp()", "")]),
        ("`torch.where(…)` → `scores`", [(f"torch.where({WHERE})", "scores")]),
        ("`where(mask, …, -inf)` → `relu(…)`", [(f"where({WHERE})", f"relu({MEAN})")]),
        ("`where(mask, …, …)` → `where(mask, …, …)[0]`", [("-inf)", "-inf)[0]")]),
        ("`return …` → `return 1 - …`", [("return ", "return 1 - ")]),
        ("`return …` → `total = -total⏎return …`", [("return", "total = -total\n    return")]),
        ("`total = …⏎` → nothing", [("    total = scores.exp().sum(dim=-1)\n", "")]),
        ("`⏎total = …⏎` → `⏎total = 2⏎`", [("scores.exp().sum(dim=-1)", "2")]),
        ("`sum` → `mean`, and `mean` → `sum`", [("mean", "?"), ("sum", "mean"), ("?", "sum")]),
    ],
)  # fmt: skip
def test_an_edit_changes_its_places_and_nothing_else(line: str, replaced: list[tuple[str, str]]):
    (result,) = made(line)
    assert result == with_(*replaced)


@pytest.mark.parametrize(
    "line, message",
    [
        ("`maks` → `x`", "expected 'maks' once, got it 0 times"),
        ("`dim=-1` → `dim=0`", "expected 'dim=-1' once, got it 2 times"),
        ("each `-inf` → `0`", "expected '-inf' several times, got it 1 times"),
        ("`mas` → `x`", "expected 'mas' once, got it 0 times"),  # a part of a word is no place
        ("`where(mask, …)` → `0`, and `-inf` → `1`", "expected places apart from each other"),
        ("`return …` → `return ((…`", "expected Python after 'return …' -> "),
        ("`return …` → `return (…)`", "expected another program after"),
        ("`-inf` → `…`", "expected at most 0 …, got '…'"),
        ("`scores.exp() / (…` → `0`", "got it 0 times"),
    ],
)
def test_an_edit_that_drifts_is_an_error(line: str, message: str):
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        made(line)


@pytest.mark.parametrize("line", ["-inf → 0", "`-inf` -> `0`", "`-inf` → ", "`a` → `b`; `c` → `d`"])
def test_a_line_that_is_written_otherwise_is_an_error_that_says_how(line: str):
    with pytest.raises(ValueError, match="expected places such as '`dim=-1` → "):
        read_family(line)


def test_a_new_line_at_the_end_of_a_place_does_not_lead_out_of_its_block():
    source = "def f(x):\n    for i in x:\n        n = i\n        m = n\n    return m\n"
    (edit,) = read_family("`n = i⏎` → nothing").edits
    assert edited(source, edit) == source.replace("        n = i\n", "")
    (edit,) = read_family("`m = n⏎` → nothing").edits
    with pytest.raises(ValueError, match="expected the line after 'm = n⏎' in the same block"):
        edited(source, edit)
