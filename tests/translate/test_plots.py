"""Plots are drawings whose labels are told; whatever else is in them stays."""

from pathlib import Path

import nbformat
import pytest

from tools.notebooks import marks, plots
from tools.notebooks.paths import all_chapters
from tools.translate import catalogue, drawn, strings

SVG = """<?xml version="1.0" encoding="utf-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg width="144pt" height="72pt" viewBox="0 0 144 72" xmlns="http://www.w3.org/2000/svg">
 <metadata>
  <format>image/svg+xml</format>
 </metadata>
 <defs>
  <style type="text/css">*{stroke-linejoin: round}</style>
 </defs>
 <text style="font: 10px">%s</text>
 <text style="font: 10px">cat &lt; dog</text>
 <text style="font: 10px">0.5</text>
 <text><tspan>W</tspan></text>
</svg>
"""


def notebook(**data: str) -> nbformat.NotebookNode:
    output = nbformat.v4.new_output("display_data", data)
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(id="a", outputs=[output])])


def test_a_plot_is_stored_in_pixels_without_marks_and_told_by_its_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plots, "FOLDER", tmp_path)
    chapter = Path("chapters/07_toy.ipynb")
    marked = marks.Language().get("training loss")
    ran = notebook(**{plots.SVG: SVG % marked})
    plots.store(chapter, {"old": "<svg/>"})
    plots.store(chapter, plots.of_notebook(ran))
    (svg,) = plots.stored(chapter).values()
    assert svg.startswith('<svg width="220" height="110" viewBox="0 0 144 72"')
    assert "metadata" not in svg
    assert plots.labels(svg) == ["training loss", "cat < dog"]

    shown = notebook(**{plots.PNG: "…"})
    plots.replace(shown, chapter, {"training loss": "학습 손실 & 끝"})
    (output,) = shown.cells[0].outputs
    told = output.data[plots.SVG]
    assert list(output.data) == [plots.SVG]
    assert "학습 손실 &amp; 끝</text>" in told and "cat &lt; dog</text>" in told
    assert "<tspan>W</tspan>" in told and "Noto Sans KR" in told


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_every_plot_of_a_chapter_has_a_drawing_with_korean_labels(path: Path):
    cells = nbformat.read(path, as_version=4).cells
    shown = {
        cell.id
        for cell in cells
        for output in cell.get("outputs", ())
        if plots.PNG in output.get("data", {})
    }
    drawings = plots.stored(path)
    assert set(drawings) == shown
    done = catalogue.translations(catalogue.read(strings.catalogue("ko")))
    kept = drawn.example_words()
    labels = {label for svg in drawings.values() for label in plots.labels(svg)}
    words = {label for label in labels if drawn.WORD.search(label) and label not in kept}
    assert words - set(done) == set()
