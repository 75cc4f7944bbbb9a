"""The HTML of an interactive figure: the same each time, rounded, and safe inside a page."""

import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from bottomup.explorables import Explorable


def made(payload: dict) -> Explorable:
    return Explorable(payload, fallback="<table></table>", name="alignments")


TITLE = {"labels": {"title": "A & B"}}


class Tags(HTMLParser):
    """The tags of a page in order, as a browser sees them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)


def test_numbers_are_rounded_to_four_digits_and_whole_ones_are_short():
    data = made({"a": [0.123456, 1.0, -0.00001, 2], "b": {"c": 0.99996, "d": True, "e": None}}).data
    assert data == '{"a":[0.1235,1,0,2],"b":{"c":1,"d":true,"e":null}}'


def test_id_is_the_name_and_a_hash_of_the_rounded_data():
    first, close, other = (made({"x": x}) for x in (0.12341, 0.12342, 0.1235))
    digest = hashlib.sha256(b'{"x":0.1234}').hexdigest()
    assert first.id == close.id == f"alignments-{digest[:8]}"
    assert other.id != first.id


def test_html_names_its_id_and_holds_element_table_and_one_module():
    one = made({"x": 1, **TITLE})
    html = one._repr_html_()
    assert html.count(f'data-explorable="{one.id}"') == 2  # the element, the script
    assert Tags(html).opened == ["style", "div", "table", "script"]
    assert 'aria-label="A &amp; B"' in html


@pytest.mark.parametrize(
    "text", ["</script>", "<!--<script>", "]]>", "a & b", "\u2028\u2029", "'\"\\`${1}", "고양이"]
)
def test_text_of_the_payload_cannot_leave_the_script(text):
    explorable = made({"text": text, **TITLE})
    assert re.search("[<>&\u2028\u2029]", explorable.data) is None
    assert json.loads(explorable.data) == {"text": text, **TITLE}
    assert Tags(explorable._repr_html_()).opened == ["style", "div", "table", "script"]


@pytest.mark.parametrize(
    "payload, error, message",
    [
        ({"x": [0, float("nan")]}, ValueError, r"\['x'\]\[1\]: expected finite numbers, got nan"),
        ({"x": float("inf")}, ValueError, r"payload\['x'\]: expected finite numbers, got inf"),
        ({"x": {1}}, TypeError, r"payload\['x'\]: expected what JSON can express, got set"),
    ],
)
def test_values_that_json_does_not_know_are_refused(payload, error, message):
    with pytest.raises(error, match=message):
        made({**payload, **TITLE})._repr_html_()


def test_repr_is_one_stable_line():
    assert repr(made({})) == "<alignments-44136fa3: an interactive figure, shown in a notebook and on the page>"  # fmt: skip  # noqa: E501
