"""The reader of formulae, tried on small ones."""

import pytest

from tests.chapters.symbols import formulae, symbols
from tests.chapters.test_notation import PAGE, indices, listed_for, names_of, rows, strays

COUNTING = {"i", "j", "t", "h", "s"}


def names(formula: str) -> list[str]:
    return [symbol.name(COUNTING) for symbol in symbols(formula)]


@pytest.mark.parametrize(
    "formula, found",
    [
        (r"W_Q x_i", ["W_Q", "x_*"]),
        (r"h_{t-1} + h_0", ["h_*", "t", "h_*"]),
        (r"W^{(q)} W^Q W^\top", ["W^()", "q", "W^Q", "W"]),
        (r"A^{(1)}_i", ["A^()_*"]),
        (r"x'_i + n^2", ["x'_*", "n"]),
        (r"\tilde h_t \hat{W}_i", [r"\tilde h_*", r"\hat W_*"]),
        (r"\bar h_{\text{own}} x_\ell", [r"\bar h_\text{own}", "x_*", r"\ell"]),
        (r"R_{\lfloor i/l \rfloor}", ["R_*", "i", "l"]),
        (r"W_{in} d_{model} d_k W_{s1} W_{O,h}", ["W_in", "d_model", "d_k", "W_s1", "W_O"]),
        (r"P_{pos, 2i} = \sin(pos)", ["P_pos", "i", "pos"]),
        (r"K_{S_i} T_x^{T_y}", ["K_*", "S_*", "T_x", "T_y"]),
        (r"e^{s_j - z} + e_{ij}", ["s_*", "z", "e_*"]),
        (r"\operatorname{softmax}_j(e_j / \sqrt{d})", ["softmax_*", "e_*", "d"]),
        (r"\operatorname*{arg\,max}_{(a)} \text{loss} \text{head}_h", ["argmax_*", "a", "head_*"]),
        (r"\begin{aligned} \alpha &= \frac{1}{N} \end{aligned} \tag{3}", [r"\alpha", "N"]),
        (r"QK^\top", ["Q", "K"]),
    ],
)  # fmt: skip
def test_symbols_are_read_with_their_names_and_without_their_indices(formula: str, found: list):
    assert names(formula) == found


def test_formulae_are_found_in_a_text_and_not_in_its_code():
    text = """A $x$ and $$ y = 1 $$, for $5 and $7, `$a$`.

```python
b = "$c$"
```

$$
z
$$

\\begin{equation*}
u \\tag{1}
\\end{equation*}
"""
    assert [formula.strip() for formula in formulae(text)] == ["x", "y = 1", "z", r"u \tag{1}"]


TABLES = """# Page

## Indices

| index | what it counts |
|---|---|
| $i$, $j$ | positions |

| symbol | meaning |
|---|---|
| $f(x)$ | a function |

## One

Chapter 01. A text with $q$.

| score | formula |
|---|---|
| dot | $p_i$ |

| symbol | meaning |
|---|---|
| $W_Q$, $h_j$ | a matrix, and a $k$ |
"""


def test_rows_are_read_off_the_tables_of_symbols():
    assert indices(TABLES) == {"i", "j"}
    assert [(row.chapter, row.names, row.explained) for row in rows(TABLES)] == [
        ("", {"f", "x"}, {"f"}),
        ("01", {"W_Q", "h_*"}, {"W_Q", "h_*"}),
    ]


@pytest.mark.parametrize("stray", ["W^{(q)}", "W^Q", "W_q", "W_{query}", r"\mathbf{W}_Q", "Q_Q"])
def test_another_way_to_write_the_map_of_the_queries_is_seen_in_chapter_02(stray: str):
    counting = indices(PAGE)
    assert strays(names_of(f"$q_i = {stray} x_i$", counting) - {"q"}, listed_for("02")) != set()
    assert strays(names_of("$q_i = W_Q x_i$", counting), listed_for("02")) == set()
