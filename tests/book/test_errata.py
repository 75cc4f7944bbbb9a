"""What the page of errata prints is what its lines print."""

import contextlib
import io
import re

import pytest

from tools.notebooks.paths import ROOT

PAGE = (ROOT / "book/errata.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)+)", PAGE, re.M))
SHOWN = {title: text for title, text in ENTRIES.items() if "```python" in text}


def test_each_entry_shows_its_fault_and_says_where_it_is_from():
    assert set(ENTRIES) - set(SHOWN) == {"Found one?"}
    assert [title for title, text in SHOWN.items() if "https://" not in text] == []


@pytest.mark.parametrize("title", SHOWN)
def test_the_lines_print_what_stands_below_them(title: str):
    (code,), (expected,) = (
        re.findall(rf"```{kind}\n(.*?)```", SHOWN[title], re.S) for kind in ("python", "text")
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, title, "exec"), {})
    assert printed.getvalue() == expected
