"""The list of what is said of every answer, and how two of them differ."""

import json
from pathlib import Path

import torch

from tests.exercises.toy import DOUBLE
from tools.exercises import dump


def test_every_answer_has_a_name_and_a_report():
    names = [name for name, _answer in dump.answers(DOUBLE)]
    assert names == ["solution", "alternative 0", "square 0", "half 0", "none 0", "none 1"]
    said = [dump.said(DOUBLE, name, answer) for name, answer in dump.answers(DOUBLE)]
    assert [each["mistake"] for each in said] == [None, None, "square", "half", "none", "none"]
    assert [each["status"] for each in said] == ["passed"] * 2 + ["failed"] * 4
    assert "That is the half." in str(said[3]["text"])


def test_a_digest_tells_values_dtypes_shapes_and_gradients_apart_and_no_functions():
    x = torch.tensor([1.0, 2.0])
    values = [x, x + 1, x.double(), x[None], x.clone().requires_grad_(), [x], {"x": x}, "x", 1]
    assert len({dump.digest(value) for value in values}) == len(values)
    assert dump.digest({"x": (x.clone(), max)}) == dump.digest({"x": (x, min)})
    turned = torch.arange(6.0).reshape(2, 3).T
    assert dump.digest(turned) == dump.digest(turned.contiguous())


def lines(path: Path, *rows: dict[str, str | None]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_differences_are_told_from_grave_to_slight(tmp_path: Path):
    def row(answer: str, status: str = "failed", text: str = "a") -> dict[str, str | None]:
        said = {"status": status, "mistake": None, "case": "one", "text": text}
        return {"exercise": "double", "answer": answer, **said}

    old = lines(tmp_path / "old", row("same"), row("gone"), row("verdict"), row("text"))
    changed = row("verdict", status="passed", text="b"), row("text", text="c")
    new = lines(tmp_path / "new", row("same"), *changed, row("new"))
    found = list(dump.differences(old, new))
    assert [each[1:3] for each in found] == [
        ("gone", "gone"), ("verdict", "status"), ("text", "text"), ("new", "new"),
    ]  # fmt: skip
    assert dump.table(found).splitlines()[-1] == "gone 1, status 1, text 1, new 1"
    assert dump.table(dump.differences(old, old)) == "the same"
