"""Every stored chapter keeps the rules of `tools.notebooks.check`; nothing is run here."""

from pathlib import Path

import pytest

from tools.notebooks.check import check
from tools.notebooks.paths import all_chapters


def test_there_is_a_first_chapter():
    assert "01_attention" in [path.stem for path in all_chapters()]


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_a_stored_chapter_keeps_the_rules(path: Path):
    assert check(path) == []
