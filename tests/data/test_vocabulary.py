import pytest

from bottomup.data import BOS, EOS, PAD, SPECIAL_TOKENS, UNK, Vocabulary


def test_special_tokens_have_the_first_four_numbers():
    vocabulary = Vocabulary(["dog", "cat"])
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    assert vocabulary.tokens == ("<pad>", "<bos>", "<eos>", "<unk>", "dog", "cat")
    assert vocabulary.encode(SPECIAL_TOKENS) == [PAD, BOS, EOS, UNK]


def test_encode_numbers_tokens_in_the_order_given():
    assert Vocabulary(["dog", "cat"]).encode(["cat", "dog", "cat"]) == [5, 4, 5]


def test_encode_gives_unk_for_a_token_not_listed():
    assert Vocabulary(["dog"]).encode(["dog", "owl"]) == [4, UNK]


def test_encode_of_no_tokens_is_empty():
    assert Vocabulary(["dog"]).encode([]) == []


def test_decode_names_special_tokens():
    assert Vocabulary(["dog"]).decode([BOS, 4, UNK, EOS, PAD]) == [
        "<bos>", "dog", "<unk>", "<eos>", "<pad>",
    ]  # fmt: skip


def test_length_and_membership_count_the_special_tokens():
    vocabulary = Vocabulary(["dog", "cat", "owl"])
    assert len(vocabulary) == 7
    assert "owl" in vocabulary
    assert "<eos>" in vocabulary
    assert "fox" not in vocabulary
    assert repr(vocabulary) == "Vocabulary(7 tokens, 4 of them special)"


def test_build_orders_by_frequency_then_alphabet():
    sentences = [["b", "a", "c"], ["c", "b"], ["d", "c"]]
    assert Vocabulary.build(sentences).tokens[4:] == ("c", "b", "a", "d")


def test_build_leaves_out_rare_tokens():
    sentences = [["b", "a", "c"], ["c", "b"], ["d", "c"]]
    vocabulary = Vocabulary.build(sentences, min_count=2)
    assert vocabulary.tokens[4:] == ("c", "b")
    assert vocabulary.encode(["a"]) == [UNK]


@pytest.mark.parametrize(
    "tokens, error, message",
    [
        (["dog", "cat", "dog"], ValueError, "each token once .* got 'dog'"),
        (["<eos>"], ValueError, "no special one, got '<eos>'"),
        (["dog", ""], ValueError, "no empty token"),
        ("dog", TypeError, "the string 'dog'; split it"),
        (["dog", 3], TypeError, "type str, got 3"),
        (None, TypeError, "tokens: expected a list of tokens, got None"),
    ],
)
def test_bad_tokens_are_refused(tokens, error, message):
    with pytest.raises(error, match=message):
        Vocabulary(tokens)


def test_build_refuses_sentences_that_are_not_tokenised():
    with pytest.raises(TypeError, match="sequences: expected a list of tokens, got the string"):
        Vocabulary.build(["the dog"])


def test_build_refuses_what_is_no_list_of_lists():
    with pytest.raises(TypeError, match="sequences: expected a list of tokenised sentences"):
        Vocabulary.build(None)
    with pytest.raises(TypeError, match="sequences: expected a list of tokens, got 7"):
        Vocabulary.build([["a"], 7])


def test_build_refuses_a_count_below_one():
    with pytest.raises(ValueError, match="min_count: expected an integer of at least 1, got 0"):
        Vocabulary.build([["a"]], min_count=0)


def test_encode_refuses_a_string():
    with pytest.raises(TypeError, match="tokens: expected a list of tokens"):
        Vocabulary(["dog"]).encode("dog")


@pytest.mark.parametrize("number", [5, 100])
def test_decode_refuses_a_number_outside_the_vocabulary(number):
    with pytest.raises(ValueError, match=rf"\[0, 5\), got {number}"):
        Vocabulary(["dog"]).decode([number])


def test_decode_refuses_negative_numbers_and_non_integers():
    with pytest.raises(ValueError, match="at least 0, got -1"):
        Vocabulary(["dog"]).decode([-1])
    with pytest.raises(TypeError, match="ids: expected a list of token numbers, got 4"):
        Vocabulary(["dog"]).decode(4)
    with pytest.raises(TypeError, match="expected an integer, got 'dog'"):
        Vocabulary(["dog"]).decode(["dog"])
