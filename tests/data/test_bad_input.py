"""What each function and task refuses, and what it says. Odd scalars of all: `tests/edges`."""

from collections.abc import Callable

import pytest
import torch

from bottomup.data import (
    BOS,
    EOS,
    BatchStream,
    Facts,
    ImageStream,
    InductionTask,
    JointBPE,
    MaskedStream,
    SequenceTask,
    Vocabulary,
    WindowStream,
    by_hand,
    corrupt,
    count_pairs,
    digit_images,
    docstring_sentences,
    encode_word,
    exchange,
    held_out,
    learn_merges,
    make_batch,
    make_facts,
    make_labelled_batch,
    merge_pair,
    next_sentence_pairs,
    overlap,
    successor_frequencies,
    successors,
)
from bottomup.data.minilang import detokenize, load
from tests.drawn import seeded

PAIRS = [([10, 11, 12], [20]), ([13], [21, 22])]
STREAM = BatchStream(PAIRS, tokens_per_batch=12, seed=7)
UNKNOWN = BatchStream([([3], [])], tokens_per_batch=12, seed=7)
WORDS = torch.tensor([[1, 5, 7, 11]])
TYPES = torch.tensor([5, 7, 11])
IMAGES = torch.arange(15).reshape(5, 3)
TEXT = torch.arange(17)
SORT = SequenceTask("sort", symbols=7, max_length=5)
PIECES = JointBPE.train([], vocabulary=260)
DOG = Vocabulary(["dog"])


def facts(names: int) -> Facts:
    return make_facts(first_names=names, last_names=names, attributes=2)


def corrupted(tokens=WORDS, mask_id=17, vocabulary=17, **options):
    corrupt(tokens, mask_id=mask_id, vocabulary=vocabulary, generator=seeded(), **options)


def exchanged(among, tokens=WORDS):
    exchange(tokens, among=among, generator=seeded(), chosen=0.5)


def masked(sentences=STREAM, mask_id=30, vocabulary=30, seed=2):
    return MaskedStream(sentences, mask_id=mask_id, vocabulary=vocabulary, seed=seed)


def following(documents, **options):
    next_sentence_pairs(documents, generator=seeded(), **options)


def labelled(*example):
    make_labelled_batch([([4], {}), example])


VALUES: list[tuple[Callable[[], object], str]] = [
    # batches of pairs
    (lambda: make_batch([]), "at least one pair, got none"),
    (lambda: make_batch([PAIRS[0], ([], [20])]), r"pairs\[1\] source: expected at least one token"),
    (lambda: make_batch([([10, EOS], [20])]), r"pairs\[0\] source: .* at least 3, got 2"),
    (lambda: make_batch([([10], [BOS, 20])]), r"pairs\[0\] target: .* at least 3, got 1"),
    (lambda: BatchStream([], tokens_per_batch=8, seed=0), "pairs: expected at least one pair"),
    (
        lambda: BatchStream([*PAIRS, ([EOS], [20])], tokens_per_batch=8, seed=0),
        r"pairs\[2\] source: .* at least 3, got 2",
    ),
    # labels
    (lambda: make_labelled_batch([]), "examples: expected at least one example, got none"),
    (lambda: labelled([], {}), r"examples\[1\]: expected at least one token, got none"),
    (lambda: labelled([4, 5], {2: 1}), r"\[1\]: expected labels at positions in \[0, 2\), got 2"),
    (lambda: labelled([4, 5], {-1: 1}), r"at positions in \[0, 2\), got -1"),
    # images and windows
    (lambda: ImageStream(IMAGES[0], batch_size=1, seed=0), r"axes \[image, pixel\], got \(3,\)"),
    (lambda: ImageStream(IMAGES[:0], batch_size=1, seed=0), r"non-empty axes \[image, pixel\]"),
    (lambda: ImageStream(IMAGES - 1, batch_size=1, seed=0), r"images: .* in \[0, .*\), got -1"),
    (lambda: WindowStream(IMAGES, length=2, batch_size=1, seed=0), r"text: .* axes \[position\]"),
    (lambda: WindowStream(TEXT - 1, length=2, batch_size=1, seed=0), r"text: .*\), got -1"),
    (
        lambda: WindowStream(TEXT, length=18, batch_size=1, seed=0),
        "length: expected at most the 17 of the text, got 18",
    ),
    # masks and exchanges
    (lambda: corrupted(torch.tensor([5])), r"tokens: .*axes \[batch, position\]"),
    (lambda: corrupted(-WORDS), r"tokens: .* in \[0, 17\), got -11"),
    (lambda: corrupted(WORDS + 7), r"tokens: .* in \[0, 17\), got 18"),
    (lambda: corrupted(mask_id=4), r"mask_id: expected a number outside \[4, 17\), got 4"),
    (lambda: corrupted(mask_id=16), r"mask_id: expected a number outside \[4, 17\), got 16"),
    (lambda: exchanged(TYPES, -WORDS), "tokens: expected token numbers"),
    (lambda: exchanged(TYPES[:1]), r"among: expected two .* types, got \[5\]"),
    (lambda: exchanged(TYPES[[0, 1, 0]]), r"among: .* different .* \[5, 7, 5\]"),
    (lambda: exchanged(TYPES[None]), r"among: expected non-empty axes \[type\]"),
    (lambda: masked(UNKNOWN), "sentences: expected an ordinary token in batch 0"),
    (lambda: masked(mask_id=5), r"mask_id: expected a number outside \[4, 30\), got 5"),
    # tasks
    (lambda: InductionTask(longest=4), "longest: expected an integer of at least 5, got 4"),
    (lambda: InductionTask(length=19), "length: expected an integer of at least 20, got 19"),
    (lambda: InductionTask(symbols=18), "symbols: expected an integer of at least 19, got 18"),
    (lambda: successor_frequencies(torch.tensor([[3]]), 3), r"tokens: .* in \[0, 3\), got 3"),
    (lambda: successors(torch.tensor([3])), r"tokens: expected non-empty axes \[batch, position"),
    (lambda: SequenceTask("echo"), "kind: .* 'copy', 'reverse', 'reorder', 'sort', got 'echo'"),
    (
        lambda: SequenceTask("sort", symbols=11, max_length=12),
        "max_length: expected at most symbols=11 for kind 'sort', .* got 12",
    ),
    (lambda: SequenceTask("copy", min_length=5, max_length=4), "max_length.*5, got 4"),
    (lambda: SORT.pairs(8, 1, seed=0), "length: expected at most symbols=7 .* got 8"),
    (lambda: SORT.alignment(5), r"kind: .* got 'sort'; align\(source_ids\) gives"),
    (lambda: SORT.align([5, 4, EOS]), r"source_ids: .* in \[4, 11\), .* got \[5, 4, 2\]"),
    (lambda: SequenceTask("copy").align([]), r"source_ids: .* got \[\]"),
    # facts, digits, documents
    (lambda: make_facts(first_names=15), "first_names: expected a multiple of attributes=10"),
    (lambda: make_facts(last_names=10), "last_names: .* of attributes=10, at least twice"),
    (lambda: make_facts(first_names=50), "first_names: expected at most 48, got 50"),
    (lambda: held_out(facts(4), every=5), "every: expected at most 4, got 5"),
    (lambda: digit_images(1797), "test_images: expected fewer than 1797, got 1797"),
    (lambda: docstring_sentences(longest=3), "longest: expected an integer of at least 4, got 3"),
    (lambda: docstring_sentences(test_every=1), "test_every: expected an integer of at least 2"),
    (lambda: following([(("a",), ("b",))]), "documents: expected at least two, got 1"),
    (lambda: following([(("a",),), ()]), "documents: expected a sentence in each"),
    (
        lambda: following([(("a",),), (("b",),)], negatives="same"),
        "negatives: expected one of 'other', 'swapped', got 'same'",
    ),
    (lambda: overlap([], []), "first: expected a word in one of two sentences"),
    (lambda: by_hand.rows("cat", "dog"), "words: expected one of 'cat', .*, got 'dog'"),
    (lambda: by_hand.sentence("cat"), "last: expected one of 'hungry', 'fresh', got 'cat'"),
    # words and pieces
    (lambda: merge_pair([["l"]], ("l",)), "pair: expected two tokens"),
    (lambda: merge_pair([["l"]], ("l", "")), "none of them empty"),
    (lambda: count_pairs({("a", "b"): 0}), "at least 1, got 0"),
    (lambda: learn_merges({"": 1}, merges=1), "word: expected characters"),
    (lambda: learn_merges({"a_": 1}, merges=1), "other than '_', got 'a_'"),
    (lambda: PIECES.decode([4, 260]), r"ids: expected numbers in \[0, 260\), got 260"),
    (lambda: Vocabulary(["dog", "cat", "dog"]), "each token once .* got 'dog'"),
    (lambda: Vocabulary(["<eos>"]), "no special one, got '<eos>'"),
    (lambda: Vocabulary(["dog", ""]), "no empty token"),
    (lambda: DOG.decode([5]), r"\[0, 5\), got 5"),
    # the small language
    (lambda: load(200_001), "size: expected at most 200000"),
]
KINDS: list[tuple[Callable[[], object], str]] = [
    (lambda: make_batch(7), r"pairs: expected a list of pairs \(source, target\), got int"),
    (lambda: make_batch(iter(PAIRS)), "pairs: expected a list of pairs .* got list_iterator"),
    (lambda: make_batch([[5, 6, 7]]), r"pairs\[0\]: expected a pair .* got \[5, 6, 7\]"),
    (lambda: make_batch([([10.5], [20])]), r"pairs\[0\] source: expected a list of int"),
    (lambda: make_batch([([10], "20")]), r"pairs\[0\] target: expected a list of int"),
    (lambda: labelled([4.7, 5], {0: 1}), r"\[1\]: expected token numbers of type int, got \[4.7"),
    (lambda: labelled([4, 5], {0: 0.9}), r"\[1\]: expected labels of type int, got \(0, 0.9\)"),
    (lambda: ImageStream(IMAGES.float(), batch_size=1, seed=0), "images: .* dtype torch.int64"),
    (lambda: WindowStream(TEXT.int(), length=2, batch_size=1, seed=0), "text: .* torch.int64"),
    (lambda: corrupted([[5]]), "tokens: expected a torch.Tensor, got list"),
    (lambda: corrupted(torch.ones(2, 3)), "tokens: expected token numbers of dtype"),
    (lambda: exchanged(TYPES.float()), "among: expected token numbers of dtype"),
    (lambda: exchanged([5, 7]), "among: expected a torch.Tensor, got list"),
    (lambda: masked(PAIRS), "sentences: expected a BatchStream, got "),
    (lambda: successors(torch.zeros(2, 3)), "tokens: expected token numbers of dtype torch.int64"),
    (lambda: docstring_sentences(longest=7.5), "longest: expected an integer, got 7.5"),
    (lambda: merge_pair(["low"], ("l", "o")), "a sequence of tokens, got 'low'"),
    (lambda: merge_pair([["l"]], "lo"), "pair: expected two tokens"),
    (lambda: merge_pair([["l"]], ("l", 3)), "pair: expected two tokens"),
    (lambda: count_pairs({"low": 1}), "a sequence of tokens, got 'low'"),
    (lambda: encode_word(7, []), "word: expected a string, got 7"),
    (lambda: JointBPE.train("one text"), "texts: expected a list of sentences, got the string"),
    (lambda: JointBPE.train(["a", 7]), "texts: expected sentences of type str, got 7"),
    (lambda: PIECES.encode(7), "text: expected a string, got 7"),
    (lambda: PIECES.decode(torch.tensor([4])), "ids: expected an integer, got tensor"),
    (lambda: PIECES.decode(4), "ids: expected a list of token numbers, got 4"),
    (lambda: Vocabulary("dog"), "the string 'dog'; split it"),
    (lambda: Vocabulary(["dog", 3]), "type str, got 3"),
    (lambda: Vocabulary.build(["the dog"]), "sequences: expected a list of tokens, got the string"),
    (lambda: Vocabulary.build(None), "sequences: expected a list of tokenised sentences"),
    (lambda: DOG.encode("dog"), "tokens: expected a list of tokens"),
    (lambda: DOG.decode(["dog"]), "expected an integer, got 'dog'"),
    (lambda: detokenize("책 -을"), "tokens: expected a sequence"),
    (lambda: detokenize(["책", 3]), "tokens: expected strings, got 3"),
]


@pytest.mark.parametrize("call, message", VALUES, ids=[message for _, message in VALUES])
def test_a_value_out_of_range_is_refused_by_name(call: Callable[[], object], message: str):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("call, message", KINDS, ids=[message for _, message in KINDS])
def test_another_kind_is_refused_by_name(call: Callable[[], object], message: str):
    with pytest.raises(TypeError, match=message):
        call()
