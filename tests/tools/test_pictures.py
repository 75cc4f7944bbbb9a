"""Stored figures: fewer bytes, the same picture."""

import base64
import io

import matplotlib.pyplot as plt
import numpy as np
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from tools.notebooks.pictures import COLOURS, PNG, lighten, with_palette


def encoded(picture: Image.Image) -> str:
    file = io.BytesIO()
    picture.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def decoded(png: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(png)))


def figure(alpha: float = 1.0) -> Image.Image:
    """A figure as the chapters have them: lines, bands and letters on a ground of one colour."""
    fig, ax = plt.subplots(figsize=(5, 3), facecolor=(1, 1, 1, alpha))
    x = np.linspace(0, 6, 61)
    for number in range(5):
        ax.plot(x, np.sin(x + number), label=f"line {number}")
        ax.fill_between(x, np.sin(x + number) - 0.3, np.sin(x + number) + 0.3, alpha=0.2)
    ax.legend()
    file = io.BytesIO()
    fig.savefig(file, format="png", dpi=110)
    plt.close(fig)
    return Image.open(file)


def test_a_figure_becomes_smaller_and_looks_the_same():
    before = encoded(figure())
    after = with_palette(before)
    assert len(after) < len(before) / 2
    picture = decoded(after)
    assert (picture.mode, picture.size) == ("P", (550, 330))
    assert len(picture.getcolors()) <= COLOURS
    drawn = np.asarray(figure().convert("RGB"), int)
    away = np.abs(np.asarray(picture.convert("RGB"), int) - drawn)
    assert away.mean() < 1  # of 255
    assert np.percentile(away, 99) < 16


def test_few_colours_stay_exactly():
    drawn = Image.new("RGB", (89, 61), (253, 253, 251))
    drawn.paste((0, 114, 178), (7, 11, 53, 41))
    kept = decoded(with_palette(encoded(drawn))).convert("RGB")
    assert np.array_equal(np.asarray(kept), np.asarray(drawn))


def test_a_transparent_picture_stays():
    before = encoded(figure(alpha=0.5))
    assert with_palette(before) == before


def test_the_size_in_inches_stays():
    file = io.BytesIO()
    figure().save(file, "PNG", dpi=(110, 110))
    after = with_palette(base64.b64encode(file.getvalue()).decode())
    assert [round(number) for number in decoded(after).info["dpi"]] == [110, 110]


def test_twice_is_once():
    once = with_palette(encoded(figure()))
    assert with_palette(once) == once


def test_only_pictures_of_a_notebook_change():
    data = {PNG: encoded(figure()), "text/plain": "<Figure>"}
    cell = new_code_cell("plot()", outputs=[new_output("display_data", data=dict(data)),
                                            new_output("stream", text="0.5")])  # fmt: skip
    notebook = new_notebook(cells=[new_markdown_cell("prose"), cell])
    lighten(notebook)
    shown, printed = notebook.cells[1].outputs
    assert shown.data[PNG] == with_palette(data[PNG]) != data[PNG]
    assert shown.data["text/plain"] == "<Figure>"
    assert printed.text == "0.5"
