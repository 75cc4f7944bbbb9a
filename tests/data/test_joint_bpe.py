import hashlib
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottomup.data import BOS, EOS, PAD, SPECIAL_TOKENS, UNK, JointBPE

TEXTS = ["low low lower", "lowest, widest", "der Hund", "der Hut", "ein Hund und der Hund"]
BYTES = 260  # the special tokens and one token for each byte


@pytest.fixture(scope="module")
def learned() -> JointBPE:
    return JointBPE.train(TEXTS, vocabulary=BYTES + 12)


def test_the_first_merges_are_the_most_frequent_pairs():
    """Three merges join " low", which comes four times, and leave " hut", which comes twice."""
    three = JointBPE.train(["low low low low", "hut hut"], vocabulary=BYTES + 3)
    assert three.pieces("low") == [" low"]
    assert three.pieces("hut") == [" ", "h", "u", "t"]
    assert len(three) == BYTES + 3
    few = JointBPE.train(["ab ab", "cd"], vocabulary=BYTES + 11)
    assert len(few) == BYTES + 2  # " a" and " ab"
    assert JointBPE.train([], vocabulary=BYTES).pieces("ab") == [" ", "a", "b"]


def test_a_word_of_both_languages_is_one_token_for_both():
    joint = JointBPE.train(["a man in a park", "ein Mann in dem park"], vocabulary=BYTES + 30)
    assert joint.pieces("the park") == [" ", "t", "h", "e", " park"]
    assert joint.encode("dem park")[-1] == joint.encode("a park")[-1] == joint.encode("park in")[0]


def test_special_tokens_have_the_numbers_of_the_package_and_give_no_text(learned, tmp_path: Path):
    learned.save(tmp_path / "bpe.json")
    numbers = json.loads((tmp_path / "bpe.json").read_text("utf-8"))["model"]["vocab"]
    assert [numbers[token] for token in SPECIAL_TOKENS] == [PAD, BOS, EOS, UNK]
    assert sorted(numbers.values()) == list(range(len(learned)))
    ids = learned.encode("der Hut")
    assert learned.decode([BOS, *ids[:1], UNK, *ids[1:], EOS, PAD, PAD]) == "der Hut"
    for token in SPECIAL_TOKENS:  # one that stands in a text is text
        assert min(learned.encode(token)) > UNK
        assert learned.decode(learned.encode(token)) == token
    assert repr(learned) == f"JointBPE({BYTES + 12} tokens, 4 of them special)"


@given(text=st.text())
def test_every_text_comes_back(learned: JointBPE, text: str):
    ids = learned.encode(text)
    assert learned.decode(ids) == learned.decode(np.array(ids, dtype=int)) == text
    assert all(UNK < number < len(learned) for number in ids)


@pytest.mark.parametrize(
    "text", ["", " ", "  two  blanks ", "Mädchen\t🙂\n", "\u2028\u00a0", "漢字"]
)
def test_blanks_and_rare_signs_come_back(learned: JointBPE, text: str):
    assert learned.decode(learned.encode(text)) == text


def test_pieces_join_to_the_text_and_half_a_character_is_marked(learned: JointBPE):
    assert "".join(learned.pieces("lowest der Hund, 7")) == " lowest der Hund, 7"
    assert learned.pieces("ß")[1:] == ["\ufffd", "\ufffd"]  # two bytes
    assert learned.decode(learned.encode("ß")[:-1]) == "\ufffd"


def test_learning_depends_on_the_texts_alone_and_a_file_holds_all(learned, tmp_path: Path):
    JointBPE.train(iter(TEXTS[::-1]), vocabulary=BYTES + 12).save(tmp_path / "reversed.json")
    learned.save(tmp_path / "learned.json")
    contents = [(tmp_path / f"{name}.json").read_bytes() for name in ("learned", "reversed")]
    assert contents[0] == contents[1]
    loaded = JointBPE.load(str(tmp_path / "learned.json"))
    assert len(loaded) == len(learned)
    assert [loaded.encode(text) for text in TEXTS] == [learned.encode(text) for text in TEXTS]
    assert learned.digest == loaded.digest == hashlib.sha256(contents[0]).hexdigest()
    assert JointBPE.train(TEXTS, vocabulary=BYTES + 11).digest != learned.digest


def test_learning_keeps_words_and_not_texts():
    texts = (" ".join(["low", "lower"] * 500) for _ in range(300))  # 2.7 MB
    tracemalloc.start()
    JointBPE.train(texts, vocabulary=BYTES + 12)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_500_000


def test_another_file_is_refused(learned: JointBPE, tmp_path: Path):
    (tmp_path / "other.json").write_text('{"tokens": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="other.json: expected a tokenizer in JSON"):
        JointBPE.load(tmp_path / "other.json")
    learned.save(tmp_path / "bpe.json")
    text = (tmp_path / "bpe.json").read_text("utf-8").replace('"<eos>"', '"<end>"')
    (tmp_path / "bpe.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="tokenizer: expected the tokens .* at numbers 0 to 3"):
        JointBPE.load(tmp_path / "bpe.json")
    with pytest.raises(FileNotFoundError):
        JointBPE.load(tmp_path / "none.json")
