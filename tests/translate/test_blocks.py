"""Blocks are found where they stand; a page without translations is the page."""

import pytest

from tools.translate.blocks import blocks, replaced
from tools.translate.pages import Page, all_pages

TEXT = """\
# A title

## 1. Numbered

A paragraph with $x$
on two lines.

- an item
  that goes on
- `code`

> a quotation
> that goes on

| head | $x$ |
|---|---|
| a \\| b | 3.5 |

Term
: Its meaning.

<details><summary>Hint 1</summary>

Inside.

</details>

```{note}
:class: tip

A note.
```

```{glossary}
name
  What it is.
```

```python
no_message = 1
```
"""
MESSAGES = [
    "A title",
    "1. Numbered",
    "A paragraph with $x$\non two lines.",
    "an item that goes on",
    "a quotation that goes on",
    "head",
    "a \\| b",
    "Term",
    "Its meaning.",
    "Hint 1",
    "Inside.",
    "A note.",
    "What it is.",
]


def test_each_block_is_a_message_and_code_is_none():
    assert [block.message for block in blocks(TEXT)] == MESSAGES


def test_translations_take_the_place_of_their_blocks():
    new = replaced(
        TEXT, {"1. Numbered": "1. 번호", "an item that goes on": "항목", "Hint 1": "힌트"}
    )
    assert "## 1. 번호\n" in new and "- 항목\n- `code`" in new
    assert "<summary>힌트</summary>" in new
    assert new.replace("번호", "Numbered").replace("힌트", "Hint 1") == TEXT.replace(
        "an item\n  that goes on", "항목"
    )


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.name)
def test_a_page_without_translations_is_the_page_byte_for_byte(page: Page):
    assert page.translated({}) == page.path.read_text("utf-8")
    same = {message: message for message in page.messages() if "\n" not in message}
    if page.is_notebook:  # where no lines are joined
        assert page.translated(same) == page.path.read_text("utf-8")
