import hashlib
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.data import BOS, EOS, PAD, SPECIAL_TOKENS, UNK, JointBPE

TEXTS = ["low low lower", "lowest, widest", "der Hund", "der Hut", "ein Hund und der Hund"]
BYTES = 260  # the special tokens and one token for each byte


@pytest.fixture(scope="module")
def learned() -> JointBPE:
    return JointBPE.train(TEXTS, vocabulary=BYTES + 12)


def test_the_first_merges_are_the_most_frequent_pairs():
    """ " der" comes 3 times, "low" and " lo" 4: l-o and o-w tie, the smaller numbers go first."""
    """Three merges join " low", which comes four times, and leave " hut", which comes twice."""
    three = JointBPE.train(["low low low low", "hut hut"], vocabulary=BYTES + 3)
    assert three.pieces("low") == [" low"]
    assert three.pieces("hut") == [" ", "h", "u", "t"]
    assert len(three) == BYTES + 3


def test_a_word_of_both_languages_is_one_token_for_both():
    joint = JointBPE.train(["a man in a park", "ein Mann in dem park"], vocabulary=BYTES + 30)
    assert joint.pieces("the park") == [" ", "t", "h", "e", " park"]
    assert joint.encode("dem park")[-1] == joint.encode("a park")[-1]


def test_the_first_word_is_the_same_token_as_within_a_sentence(learned: JointBPE):
    assert learned.encode("Hund der Hund")[0] == learned.encode("der Hund")[-1]


def test_special_tokens_have_the_numbers_of_the_package(learned: JointBPE, tmp_path: Path):
    learned.save(tmp_path / "bpe.json")
    numbers = json.loads((tmp_path / "bpe.json").read_text("utf-8"))["model"]["vocab"]
    assert [numbers[token] for token in SPECIAL_TOKENS] == [PAD, BOS, EOS, UNK]
    assert sorted(numbers.values()) == list(range(len(learned)))


def test_a_special_token_that_stands_in_a_text_is_text(learned: JointBPE):
    for token in SPECIAL_TOKENS:
        assert min(learned.encode(token)) > UNK
        assert learned.decode(learned.encode(token)) == token


def test_special_tokens_give_no_text(learned: JointBPE):
    ids = learned.encode("der Hut")
    assert learned.decode([BOS, *ids[:1], UNK, *ids[1:], EOS, PAD, PAD]) == "der Hut"
    assert learned.decode([PAD, BOS, EOS, UNK]) == ""


def test_no_text_gives_no_tokens(learned: JointBPE):
    assert learned.encode("") == []
    assert learned.decode([]) == ""
    assert learned.pieces("") == []


@given(text=st.text())
def test_every_text_comes_back(learned: JointBPE, text: str):
    ids = learned.encode(text)
    assert learned.decode(ids) == text
    assert all(UNK < number < len(learned) for number in ids)


@pytest.mark.parametrize("text", [" ", "  two  blanks ", "Mädchen\t🙂\n", "\u2028\u00a0", "漢字"])
def test_blanks_and_rare_signs_come_back(learned: JointBPE, text: str):
    assert learned.decode(learned.encode(text)) == text


def test_pieces_join_to_the_text(learned: JointBPE):
    assert "".join(learned.pieces("lowest der Hund, 7")) == " lowest der Hund, 7"
    assert learned.pieces("ß")[1:] == ["\ufffd", "\ufffd"]  # two bytes, each half a character


def test_bytes_that_form_no_character_are_marked(learned: JointBPE):
    assert learned.decode(learned.encode("ß")[:-1]) == "\ufffd"


def test_learning_depends_on_the_texts_alone(learned: JointBPE, tmp_path: Path):
    JointBPE.train(iter(TEXTS[::-1]), vocabulary=BYTES + 12).save(tmp_path / "reversed.json")
    learned.save(tmp_path / "learned.json")
    contents = [(tmp_path / f"{name}.json").read_bytes() for name in ("learned", "reversed")]
    assert contents[0] == contents[1]


def test_few_texts_give_a_smaller_vocabulary():
    assert len(JointBPE.train(["ab ab", "cd"], vocabulary=BYTES + 11)) == BYTES + 2  # " a", " ab"


def test_no_texts_give_the_bytes():
    none = JointBPE.train([], vocabulary=BYTES)
    assert len(none) == BYTES
    assert none.pieces("ab") == [" ", "a", "b"]


def test_saved_and_loaded_it_is_the_same(learned: JointBPE, tmp_path: Path):
    learned.save(tmp_path / "bpe.json")
    loaded = JointBPE.load(str(tmp_path / "bpe.json"))
    assert len(loaded) == len(learned)
    assert [loaded.encode(text) for text in TEXTS] == [learned.encode(text) for text in TEXTS]
    assert loaded.decode(learned.encode("der Hund <eos>")) == "der Hund <eos>"
    assert [path.name for path in tmp_path.iterdir()] == ["bpe.json"]


def test_the_digest_is_that_of_the_saved_file(learned: JointBPE, tmp_path: Path):
    learned.save(tmp_path / "bpe.json")
    assert learned.digest == hashlib.sha256((tmp_path / "bpe.json").read_bytes()).hexdigest()
    assert JointBPE.load(tmp_path / "bpe.json").digest == learned.digest
    assert JointBPE.train(TEXTS, vocabulary=BYTES + 11).digest != learned.digest


def test_learning_keeps_words_and_not_texts():
    texts = (" ".join(["low", "lower"] * 500) for _ in range(300))  # 2.7 MB
    tracemalloc.start()
    JointBPE.train(texts, vocabulary=BYTES + 12)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_500_000


def test_a_write_that_fails_leaves_the_old_file(
    learned: JointBPE, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "bpe.json").write_text("old", encoding="utf-8")

    def fail(*paths: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        learned.save(tmp_path / "bpe.json")
    assert [(p.name, p.read_text("utf-8")) for p in tmp_path.iterdir()] == [("bpe.json", "old")]


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


def test_its_size_is_told(learned: JointBPE):
    assert repr(learned) == f"JointBPE({BYTES + 12} tokens, 4 of them special)"


def test_bad_texts_are_refused(learned: JointBPE):
    with pytest.raises(TypeError, match="texts: expected a list of sentences, got the string 'one"):
        JointBPE.train("one text")
    with pytest.raises(TypeError, match="texts: expected sentences of type str, got 7"):
        JointBPE.train(["a", 7])
    with pytest.raises(TypeError, match="text: expected a string, got 7"):
        learned.encode(7)


def test_bad_sizes_are_refused():
    with pytest.raises(ValueError, match="vocabulary: expected an integer of at least 260, got 25"):
        JointBPE.train(TEXTS, vocabulary=259)
    with pytest.raises(TypeError, match="vocabulary: expected an integer, got 8000.0"):
        JointBPE.train(TEXTS, vocabulary=8000.0)


def test_bad_numbers_are_refused(learned: JointBPE):
    size = len(learned)
    with pytest.raises(ValueError, match=rf"ids: expected numbers in \[0, {size}\), got {size}"):
        learned.decode([4, size])
    with pytest.raises(ValueError, match="ids: expected an integer of at least 0, got -1"):
        learned.decode([-1])
    with pytest.raises(TypeError, match="ids: expected an integer, got tensor"):
        learned.decode(torch.tensor([4]))
    with pytest.raises(TypeError, match="ids: expected a list of token numbers, got 4"):
        learned.decode(4)
    assert learned.decode(np.array(learned.encode("der"))) == "der"
