"""WordPiece by hand, and beside the library that cuts the same way."""

import pytest

from bottomup.data import WordPiece

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = (
    "play ##ing ##in ##g player ##er jo jordan ##rdan cafe ! , $ 中 un ##aff ##able a ##b".split()
)
PIECES = WordPiece([*SPECIAL, *WORDS])

CUT = {
    "Jordan playing": ["jordan", "play", "##ing"],
    "players": ["[UNK]"],  # no piece for the last letter: the word is unknown as a whole
    "player": ["player"],  # the longest piece, not play and ##er
    "unaffable": ["un", "##aff", "##able"],
    "Café!": ["cafe", "!"],
    "a,b": ["a", ",", "[UNK]"],  # b begins a word, and the vocabulary has ##b alone
    "$ab中": ["$", "a", "##b", "中"],
    "a\u0000b \t\n": ["a", "##b"],  # signs of control are left out
    "": [],
    "a" * 101: ["[UNK]"],
}


@pytest.mark.parametrize("text", CUT)
def test_texts_are_cut(text):
    assert PIECES.cut(text) == CUT[text]


def test_numbers_and_padding():
    assert PIECES.encode("jordan !") == [2, 11, 14, 3]
    tokens, real = PIECES.batch(["jordan !", "a"], length=5)
    assert tokens.tolist() == [[2, 11, 14, 3, 0], [2, 21, 3, 0, 0]]
    assert real.sum(1).tolist() == [4, 3]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="vocabulary: expected \\[SEP\\] in it, got 3 pieces"):
        WordPiece(SPECIAL[:3])
    with pytest.raises(TypeError, match="text: expected a string, got 3"):
        PIECES.cut(3)
    with pytest.raises(ValueError, match="texts: expected at least one, got none"):
        PIECES.batch([])
    with pytest.raises(ValueError, match="length: expected an integer of at least 4, got 3"):
        PIECES.batch(["jordan !"], length=3)


def test_the_library_cuts_the_same(tmp_path):
    tokenizers = pytest.importorskip("tokenizers", reason="the library tokenizers is missing")
    file = tmp_path / "vocab.txt"
    file.write_text("\n".join([*SPECIAL, *WORDS]), encoding="utf-8")
    library = tokenizers.BertWordPieceTokenizer(str(file), lowercase=True)
    texts = [
        *CUT,
        "Ünaffable 中国a",
        "co-player...",
        "a\u00a0b\u2028c",
        "\ufffda",
        "ﬁnd İ ẞ",
        "a`b~c^",
    ]
    for text in texts:
        assert library.encode(text, add_special_tokens=False).tokens == PIECES.cut(text), text
    assert WordPiece.from_file(file).pieces == PIECES.pieces
