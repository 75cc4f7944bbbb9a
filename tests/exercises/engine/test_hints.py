from typing import Any

import pytest

from bottomup.exercises import catalog, hint, solution
from bottomup.exercises.engine import hints

SLUG = "aer"


@pytest.fixture(autouse=True)
def no_hint_given_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "_shown", {})


def test_each_call_goes_one_hint_further_and_the_last_one_stays():
    texts = catalog()[SLUG].hints
    given = [repr(hint(SLUG)) for _call in range(len(texts) + 1)]
    assert given[0] == f"Hint 1 of {len(texts)}: {texts[0]}"
    assert given[1].startswith(f"Hint 2 of {len(texts)}: {texts[1]}")
    assert given[-1] == given[-2]
    assert 'solution("aer") shows one answer' in given[-1]
    assert repr(hint(SLUG, number=2)) == given[1]


@pytest.mark.parametrize("number", [0, 9, 1.5, "2"])
def test_a_hint_that_is_not_there_is_an_error(number: Any):
    with pytest.raises(ValueError, match=f"number: expected a number from 1 to 3, got {number!r}"):
        hint(SLUG, number=number)


def test_the_solution_is_shown_as_source_and_highlighted_in_a_notebook():
    shown = solution(SLUG)
    assert repr(shown).startswith("def alignment_error_rate(links, ")
    assert shown._repr_markdown_() == f"```python\n{shown!r}\n```"
    for ask in (hint, solution):
        with pytest.raises(ValueError, match="such as 'aer'"):
            ask("ear")
