import pytest

from bottomup.exercises import catalog
from bottomup.exercises.engine import registry
from bottomup.exercises.engine.registry import find


def test_the_catalog_is_ordered_by_chapter_and_keyed_by_slug():
    exercises = catalog()
    assert [exercise.slug for exercise in exercises.values()] == list(exercises)
    assert list(exercises)[:4:3] == ["stable-softmax", "additive-score"]
    chapters = [exercise.chapter for exercise in exercises.values()]
    assert chapters == sorted(chapters)


def test_a_slug_used_twice_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "CHAPTERS", ("attention", "attention"))
    with pytest.raises(ValueError, match="'additive-score' is used twice"):
        catalog.__wrapped__()


@pytest.mark.parametrize(
    "slug, suggestion",
    [("masked_softmax", "such as 'masked-softmax'"), ("zzz", "'masked-softmax', "), (3, "got 3")],
)
def test_an_unknown_slug_names_close_matches(slug, suggestion: str):
    with pytest.raises(ValueError, match=suggestion):
        find(slug)
