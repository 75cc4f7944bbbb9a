"""The layout of a pair for reading."""

from bottomup.data.minilang import Link, SentencePair, interlinear

PAIR = SentencePair(
    source=("a", "man", "read", "a", "book", "."),
    target=("남자", "-가", "책", "-을", "읽", "-었", "-다", "."),
    links=(Link(0, 1, True),),
)


def test_text_aligns_sound_and_gloss():
    assert repr(interlinear(PAIR)).splitlines() == [
        "a man read a book .",
        "namja  -ga   chaek  -eul  ik    -eot   -da    .",
        "man    -NOM  book   -OBJ  read  -PAST  -DECL  .",
    ]


def test_html_holds_hangul_sound_gloss_and_the_written_sentence():
    html = interlinear(PAIR)._repr_html_()
    assert '<span lang="ko">책</span>' in html
    assert '<span lang="ko-Latn">chaek</span>' in html
    assert '<span lang="en">-PAST</span>' in html
    assert "남자가 책을 읽었다." in html
    assert "(namjaga chaegeul ilgeotda.)" in html


def test_words_of_one_class_share_a_colour_on_both_sides():
    html = interlinear(PAIR)._repr_html_()
    underline = "border-bottom: 3px solid #D55E00"  # verbs
    assert f'{underline}"><span lang="en">read<' in html
    assert f'{underline}"><span lang="ko">읽<' in html


def test_html_is_escaped():
    pair = SentencePair(("<b>",), ("<i>",), ())
    html = interlinear(pair)._repr_html_()
    assert "<b>" not in html
    assert "<i>" not in html
