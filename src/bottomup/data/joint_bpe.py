"""One sub-word vocabulary for two languages: byte pairs, learned and applied by `tokenizers`.

`bottomup.data.byte_pairs` shows the algorithm on words and characters. Here a character is its
UTF-8 bytes, so that no text is unknown, and a blank belongs to the word after it, so that the
text can be put together again exactly. So "가" as a syllable and as its letters are two texts:
`bottomup.data.prepare` brings a corpus into one form, NFC. Names and words that look alike in both
languages share their pieces, and one embedding table serves the encoder, the decoder and the
output.

Sources: Sennrich, Haddow and Birch (2016), section 3.2 (joint byte pairs); Vaswani et al. (2017),
section 5.1 (a shared vocabulary). Chapter 06 translates Multi30k with it.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bottomup.checks import check_integer, check_text
from bottomup.data.vocabulary import SPECIAL_TOKENS, checked_ids, each_string
from bottomup.files import write_atomically
from bottomup.i18n import _

# Imported where a tokenizer is made: models, training and decoding do without.
if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from tokenizers.models import BPE

BYTES = 256
SMALLEST = len(SPECIAL_TOKENS) + BYTES


class JointBPE:
    """Text to token numbers and back; `train` or `load` makes one.

    Numbers 0 to 3 are PAD, BOS, EOS and UNK, as in every vocabulary of the package. The next 256
    are the bytes, and the others the pieces in the order in which they were learned.
    """

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self._tokenizer = tokenizer
        found = tuple(tokenizer.id_to_token(number) for number in range(len(SPECIAL_TOKENS)))
        if found != SPECIAL_TOKENS:
            raise ValueError(
                f"tokenizer: expected the tokens {SPECIAL_TOKENS} at numbers 0 to 3, got {found}"
            )

    @classmethod
    def train(cls, texts: Iterable[str], *, vocabulary: int = 8000) -> "JointBPE":
        """Learn the pieces from `texts`, the sentences of all languages together.

        Pairs that come once are not merged, so that few texts give a smaller vocabulary. The same
        texts give the same pieces, whatever their order. They are read once, one after another;
        their different words are kept, with their numbers.

        Args:
            texts: sentences of both languages.
            vocabulary: how many tokens at most, special tokens and bytes included.
        """
        from tokenizers.pre_tokenizers import ByteLevel
        from tokenizers.trainers import BpeTrainer

        check_integer("vocabulary", vocabulary, at_least=SMALLEST)
        checked = each_string("texts", texts, "sentences")
        tokenizer = _untrained()
        trainer = BpeTrainer(
            vocab_size=vocabulary,
            min_frequency=2,
            special_tokens=list(SPECIAL_TOKENS),
            initial_alphabet=ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator((" " + text for text in _written(checked)), trainer)
        # Of a trained tokenizer, "<pad>" in a text would become PAD. Of its model it does not.
        return cls(_untrained(tokenizer.model))

    @property
    def digest(self) -> str:
        """SHA-256 of what `save` writes."""
        return hashlib.sha256(self._tokenizer.to_str().encode()).hexdigest()

    def encode(self, text: str) -> list[int]:
        """Return the token numbers of `text`, none for the empty one. No BOS or EOS is added."""
        check_text("text", text)
        if not text:
            return []
        # The first word gets its blank too: it is the same token as within a sentence.
        return list(self._tokenizer.encode(" " + text, add_special_tokens=False).ids)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of token numbers; ``decode(encode(text)) == text`` for every text.

        PAD, BOS, EOS and UNK give nothing. Bytes that form no character, which only a model can
        write, give U+FFFD.
        """
        return self._text(ids).removeprefix(" ")

    def pieces(self, text: str) -> list[str]:
        """Return the text of each token of `text`; the blank before a word is the token's.

        A piece that is a part of a character's bytes is shown as U+FFFD.
        """
        return [self._text([number]) for number in self.encode(text)]

    def save(self, path: str | Path) -> None:
        """Write the tokenizer as JSON, in the format of `tokenizers`."""
        text = self._tokenizer.to_str()
        write_atomically(Path(path), lambda file: file.write(text.encode()))

    @classmethod
    def load(cls, path: str | Path) -> "JointBPE":
        """Read what `save` wrote.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it holds something else.
        """
        from tokenizers import Tokenizer

        text = Path(path).read_text(encoding="utf-8")
        try:
            tokenizer = Tokenizer.from_str(text)
        except Exception as error:  # `tokenizers` raises nothing more specific
            message = _("{path}: expected a tokenizer in JSON").format(path=path)
            raise ValueError(f"{message} ({error})") from error
        return cls(tokenizer)

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()

    def __repr__(self) -> str:
        return f"JointBPE({len(self)} tokens, {len(SPECIAL_TOKENS)} of them special)"

    def _text(self, ids: Iterable[int]) -> str:
        return self._tokenizer.decode(
            [number for number in checked_ids(ids, len(self)) if number >= len(SPECIAL_TOKENS)],
            skip_special_tokens=False,
        )


def _written(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        check_text("texts", text)
        yield text


def _untrained(model: "BPE | None" = None) -> "Tokenizer":
    from tokenizers import Tokenizer
    from tokenizers.decoders import ByteLevel as ByteDecoder
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel

    tokenizer = Tokenizer(model or BPE())
    # The pattern of GPT-2 keeps words, numbers and punctuation apart.
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = ByteDecoder()
    return tokenizer
