import json

import pytest

from bottomup.explorables import steps
from tests.explorables.demo import PICTURES, STEPS, STEPS_SAY


def test_the_payload_holds_pictures_and_sentences():
    payload = json.loads(STEPS.data)
    assert payload["pictures"] == PICTURES
    assert payload["says"] == STEPS_SAY
    assert payload["labels"]["title"] == "A cache that grows"


def test_without_a_script_the_last_picture_and_all_sentences_are_there():
    assert PICTURES[-1] in STEPS.fallback
    assert PICTURES[0] not in STEPS.fallback
    assert all(f"<li>{sentence}</li>" in STEPS.fallback for sentence in STEPS_SAY)


@pytest.mark.parametrize("number", [1, 13])
def test_few_or_many_pictures_are_refused(number):
    with pytest.raises(ValueError, match=f"pictures: expected 2 to 12, got {number}"):
        steps("title", PICTURES[:1] * number, STEPS_SAY[:1] * number)


def test_a_sentence_too_few_is_refused():
    with pytest.raises(ValueError, match="says: expected 3, got 2"):
        steps("title", PICTURES, STEPS_SAY[:2])
