"""Chapter 05's trained translator: English in, Korean out, and a clear word where it cannot.

The records of chapters 05 and 06 keep trained Transformers in their arrays.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, partial
from importlib.resources import as_file, files
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.analysis import ChangedTransformer
from bottomup.checks import check_weights
from bottomup.data import BOS, SPECIAL_TOKENS, Vocabulary, make_batch
from bottomup.data.minilang import detokenize, gloss, romanise
from bottomup.data.minilang.corpus import LONGEST as MOST_WORDS
from bottomup.data.vocabulary import composed
from bottomup.decoding import greedy
from bottomup.experiments import Record, load_record
from bottomup.experiments.decoding.search import config as search
from bottomup.experiments.decoding.search import translator as half_trained
from bottomup.experiments.encoder_decoder import config as trained
from bottomup.experiments.encoder_decoder.training import largest, transformer_config
from bottomup.experiments.shared.translation import LONGEST, Data
from bottomup.i18n import _
from bottomup.models import Changes, Transformer

EXPERIMENT, HALF_TRAINED = "encoder_decoder", "decoding_search"
FULL_STOP = "."
OTHER_ENDS = ("?", "!")
BEGIN, END = SPECIAL_TOKENS[1:3]
WORD = re.compile(r"[,.!?;:]|[^\s,.!?;:]+")  # a mark stands alone, as in the corpus
STATEMENTS_ONLY = _(
    "The model reads statements only: no questions or exclamations, with a full stop at the end."
)
NEAR = 3  # known words that are named for each unknown one
EXAMPLES = ("the cat ate two apples .", "the child played baseball .", "the man is sad .")


class UnknownWordsError(ValueError):
    """Words that the model never saw; the message names them and known words near them.

    Attributes:
        words: the unknown words, each once, in the sentence's order.
    """

    def __init__(self, message: str, words: Sequence[str]) -> None:
        super().__init__(message)
        self.words = tuple(words)


@dataclass(frozen=True)
class Translation:
    """A sentence and what the model wrote for it. Its string has three lines for reading.

    Attributes:
        source: the words that the model read, without the end mark.
        tokens: the Korean tokens that it wrote, without the end mark.
    """

    source: tuple[str, ...]
    tokens: tuple[str, ...]

    @property
    def glosses(self) -> tuple[str, ...]:
        """The English gloss of each token, hence English in Korean order.

        Where a stem has several senses, the source decides; a particle or an ending has all.
        """
        return tuple(
            gloss(token, () if token.startswith("-") else self.source) for token in self.tokens
        )

    @property
    def hangul(self) -> str:
        """The sentence as it is written in Korean."""
        return detokenize(self.tokens)

    @property
    def romanised(self) -> str:
        """The sentence in Latin letters."""
        return romanise(self.hangul)

    def __str__(self) -> str:
        return "\n".join([" ".join(self.glosses), self.hangul, self.romanised])


class TranslationAttention(NamedTuple):
    """What every head reads while a sentence and its translation pass through the model.

    Rows are queries, columns keys; every row sums to 1. A target position stands for the token that
    the decoder reads there; there it writes the next one.

    `source` holds the words with the end mark behind them, `target` the begin mark and a gloss for
    each token of the translation; the three tensors hold the weights of every layer and head.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    encoder: Float[Tensor, "layer head source source"]
    decoder: Float[Tensor, "layer head target target"]
    cross: Float[Tensor, "layer head target source"]


@dataclass(frozen=True, eq=False)
class Translator:
    """A trained Transformer with the words that it knows.

    Attributes:
        model: in evaluation mode.
        source_words, target_tokens: English words and Korean tokens with their numbers.
    """

    model: Transformer
    source_words: Vocabulary
    target_tokens: Vocabulary

    @classmethod
    def from_record(cls, record: Record) -> "Translator":
        """Return the Transformer that a record of chapter 05 or 06 keeps, in evaluation mode.

        Of chapter 05's record it is the one with the largest budget, of chapter 06's one that was
        stopped early. Its parameters are kept in 16 bits; it computes in 32.
        """
        if record.experiment == EXPERIMENT:
            config = trained.Config(**record.config)
            prefix = f"{largest(config).name}/{config.examples_seed}/"
            model_config = partial(transformer_config, config)
        elif record.experiment == HALF_TRAINED:
            early = search.Config(**record.config)
            prefix = f"{search.PREFIX}{early.kept}/{half_trained.KEPT_SEED}/"
            model_config = partial(half_trained.transformer_config, early)
        else:
            raise ValueError(
                f"record: expected one of {EXPERIMENT!r} or {HALF_TRAINED!r}, got {record.name}"
            )
        arrays = {
            n.removeprefix(prefix): a for n, a in record.arrays.items() if n.startswith(prefix)
        }
        if not arrays:
            raise ValueError(f"record: expected arrays below {prefix}, got none in {record.name}")
        missing = [name for name in ("source_words", "target_tokens") if name not in arrays]
        if missing:
            raise ValueError(f"record: expected the words, got none named {missing}")
        words, tokens = (
            Vocabulary(arrays[name].tolist()[len(SPECIAL_TOKENS) :])
            for name in ("source_words", "target_tokens")
        )
        model = Transformer(model_config(Data((), words, tokens, [])))
        weights = {
            name.removeprefix("weights."): torch.from_numpy(array).float()
            for name, array in arrays.items()
            if name.startswith("weights.")
        }
        check_weights("record", weights, dict(model.named_parameters()))
        model.load_state_dict(weights)
        return cls(model.eval(), words, tokens)

    def translate(
        self, sentence: str | Sequence[str], changes: Changes | None = None
    ) -> Translation:
        """Translate greedily: at each position the token with the highest probability.

        Args:
            sentence: text, or a list of words. Upper case counts as lower case, and a full stop is
                put behind a sentence without one.
            changes: what is changed in the model; None: nothing.

        Raises:
            TypeError: no text and no list of strings.
            UnknownWordsError: a ValueError; words that the model never saw.
            ValueError: no words, or more than in any training sentence.
        """
        words = self._read(sentence)
        tokens = self.target_tokens.decode(self._write(words, changes))
        return Translation(tuple(words), tuple(tokens))

    def reply(self, sentence: str | Sequence[str]) -> str:
        """Return the translation in three lines, or what keeps the model from translating.

        The lines are the glosses in Korean order, the sentence in Hangul, and its romanisation.
        """
        try:
            return str(self.translate(sentence))
        except (TypeError, ValueError) as error:
            return str(error)

    def attention(
        self, sentence: str | Sequence[str], changes: Changes | None = None
    ) -> TranslationAttention:
        """Return what every layer and head reads in a sentence and in the model's translation.

        Args:
            sentence, changes: as in `translate`. A head that is off reads nothing.

        Raises:
            TypeError, UnknownWordsError, ValueError: as `translate`.
        """
        words = self._read(sentence)
        numbers = self._write(words, changes)
        with torch.no_grad():
            model = ChangedTransformer(self.model, changes or Changes())
            weights = model(*self._source(words), _target(numbers)).weights
        glosses = Translation(tuple(words), tuple(self.target_tokens.decode(numbers))).glosses
        maps = (torch.cat(layers) for layers in weights)  # the batch's one row becomes the layer
        return TranslationAttention((*words, END), (BEGIN, *glosses), *maps)

    def state(
        self,
        sentence: str | Sequence[str],
        station: str,
        position: int,
        changes: Changes | None = None,
    ) -> tuple[float, ...]:
        """Return a state of the stream, which a `Patch` can put into another sentence's.

        Args:
            sentence, changes: as in `translate`; the decoder reads the translation.
            station, position: where in the stream, as in `Patch`.

        Raises:
            KeyError: there is no such station.
            IndexError: the sequence has no such position.
            TypeError, UnknownWordsError, ValueError: as `translate`.
        """
        words = self._read(sentence)
        target = _target(self._write(words, changes))
        with torch.no_grad():
            model = ChangedTransformer(self.model, changes or Changes())
            states = model.states(*self._source(words), target)
        return tuple(states[station][0, position].tolist())

    def _source(self, words: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Return token numbers with the end mark, and a mask: [1, source] both."""
        batch = make_batch([(self.source_words.encode(words), [])])
        return batch.source, batch.source_mask

    def _write(self, words: Sequence[str], changes: Changes | None = None) -> list[int]:
        model = self.model if changes is None else ChangedTransformer(self.model, changes)
        return greedy(model, *self._source(words), max_length=LONGEST).to_lists()[0]

    def _read(self, sentence: str | Sequence[str]) -> list[str]:
        """Return the words of a sentence that the model can read."""
        words = _split(sentence)
        if not any(letter.isalnum() for word in words for letter in word):
            expected = _("sentence: expected at least one word, got none.")
            raise ValueError(" ".join([expected, *self._example()]))
        if words[-1] != FULL_STOP:
            words.append(FULL_STOP)
        if len(words) > MOST_WORDS:
            raise ValueError(
                _("sentence: expected at most {most} words as in training, full stop and commas "
                  "counted, got {got}").format(most=MOST_WORDS, got=len(words))
            )  # fmt: skip
        known = self.source_words.tokens[len(SPECIAL_TOKENS) :]
        unknown = [word for word in dict.fromkeys(words) if word not in known]
        if unknown:
            raise UnknownWordsError(self._message(unknown, known), unknown)
        return words

    def _message(self, unknown: Sequence[str], known: Sequence[str]) -> str:
        parts = []
        words = [word for word in unknown if word not in OTHER_ENDS]
        if words:
            count = sum(word not in (",", FULL_STOP) for word in known)
            parts.append(_("The model does not know {words}.").format(words=_quoted(words)))
            parts.append(_("It knows {count} words.").format(count=count))
        near = [match for word in words for match in get_close_matches(word, known, n=NEAR)]
        if near:
            parts.append(_("Near: {words}.").format(words=_quoted(dict.fromkeys(near))))
        if len(words) < len(unknown):
            parts.append(STATEMENTS_ONLY)
        return " ".join(parts + self._example())

    def _example(self) -> list[str]:
        """Return advice with a sentence that the model can read, none if it can read none."""
        able = (
            text for text in EXAMPLES if all(word in self.source_words for word in _split(text))
        )
        return [_("Try: {sentence}").format(sentence=text) for text in able][:1]


@cache
def translator() -> Translator:
    """Return chapter 05's trained translator, which is part of the package.

    A cell that uses it also names its record, ``results.load("encoder_decoder.json")``, so that
    the chapter is known to depend on the file.
    """
    # Were the name written out here, every chapter that loads any record would depend on this one.
    with as_file(files("bottomup.results")) as folder:
        return Translator.from_record(load_record(folder / f"{EXPERIMENT}.json"))


def _target(numbers: list[int]) -> Tensor:
    """Return what the decoder reads, [1, target]; a changed model may have written PAD or BOS."""
    return torch.tensor([[BOS, *numbers]])


def _split(sentence: str | Sequence[str]) -> list[str]:
    """Return the words in lower case, marks apart."""
    words = [sentence] if isinstance(sentence, str) else sentence
    if not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        raise TypeError(
            _("sentence: expected text or a list of words, got {got!r}").format(got=sentence)
        )
    return WORD.findall(composed(" ".join(words)).lower().replace("’", "'"))


def _quoted(words: Sequence[str] | dict[str, None]) -> str:
    return ", ".join(f"“{word}”" for word in words)
