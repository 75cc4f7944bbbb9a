"""The tables that stand in for interactive figures."""

from bottomup.explorables.shared.tables import cell, table


def test_table_has_a_caption_columns_and_rows():
    html = table(["What", "and how"], ["x", "y"], [("a", cell("1") + cell("2"))])
    assert 'aria-label="What"' in html
    assert ">What<br>and how</caption>" in html
    assert html.count('scope="col"') == 2 and html.count('scope="row"') == 1
    assert html.index(">x</th>") < html.index(">a</th>") < html.index(">1</td>")


def test_a_larger_weight_has_a_darker_ground():
    assert "rgba(0, 114, 178, 0.45)" in cell("", weight=1)
    assert "rgba(0, 114, 178, 0.09)" in cell("", weight=0.2)
    assert "rgba(0, 114, 178, 0.00)" in cell("")


def test_words_of_a_table_are_escaped():
    html = table(['"<b>'], ["<i>"], [("<u>", cell("<b>1</b>"))])
    assert "<i>" not in html and "<u>" not in html
    assert html.count("<b>") == 1
    assert 'aria-label="&quot;&lt;b&gt;"' in html
