"""Words and their numbers, by hand. How they are counted and sorted: `tests/properties`."""

from bottomup.data import BOS, EOS, PAD, SPECIAL_TOKENS, UNK, Vocabulary


def test_words_are_numbered_in_the_order_given_behind_the_special_tokens():
    vocabulary = Vocabulary(["dog", "cat"])
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    assert vocabulary.tokens == ("<pad>", "<bos>", "<eos>", "<unk>", "dog", "cat")
    assert vocabulary.encode(SPECIAL_TOKENS) == [PAD, BOS, EOS, UNK]
    assert vocabulary.encode(["cat", "dog", "owl", "cat"]) == [5, 4, UNK, 5]
    assert vocabulary.encode([]) == []
    assert vocabulary.decode([BOS, 4, UNK, EOS]) == ["<bos>", "dog", "<unk>", "<eos>"]
    assert len(vocabulary) == 6
    assert "cat" in vocabulary and "<eos>" in vocabulary and "fox" not in vocabulary
    assert repr(vocabulary) == "Vocabulary(6 tokens, 4 of them special)"


def test_build_orders_by_frequency_then_alphabet():
    sentences = [["b", "a", "c"], ["c", "b"], ["d", "c"]]
    assert Vocabulary.build(sentences).tokens[4:] == ("c", "b", "a", "d")
    assert Vocabulary.build(sentences, min_count=2).tokens[4:] == ("c", "b")
