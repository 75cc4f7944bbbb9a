"""The beds: patients that a reader may ask, and that do not say what they have.

Behind a bed stands a trained network in its pipeline. What it is asked goes through, what it is
does not: as in `sealing`, this keeps out what one would see by chance or for comfort.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from torch import Tensor

from bottomup import results
from bottomup.data.sequences import FIRST_SYMBOL
from bottomup.data.vocabulary import SPECIAL_TOKENS
from bottomup.experiments.clinic.patient import Patient
from bottomup.experiments.clinic.signs import READINGS
from bottomup.experiments.clinic.ward import experiment as ward
from bottomup.experiments.clinic.ward.sealed import SEALS, TWIN
from bottomup.i18n import _

RECORD = f"{ward.NAME}.json"
LETTERS = "abcdefghij"
WORDS = (*SPECIAL_TOKENS, *LETTERS)  # by number, as the last axis of log-probabilities
OTHER = "\N{MIDDLE DOT}"  # a special token that a patient writes in the middle of a word

SHOWN = ("__class__", "__dir__", "__doc__")

Spelled = tuple[str, str]  # source and target


class Weights(NamedTuple):
    """The weights of the three attentions, [pair, head, query, key]."""

    encoder: Tensor
    decoder: Tensor
    cross: Tensor


class _Curtain:
    """Passes questions on to a patient; errors come back without frames, which name the disease."""

    __slots__ = ("_put", "label")

    def __init__(self, label: str, patient: Patient) -> None:
        self.label = label
        self._put = lambda ask: ask(patient)

    def __call__(self, ask: Callable[[Patient], Any]) -> Any:
        raised: BaseException | None = None
        try:
            return self._put(ask)
        except BaseException as error:  # an interrupt has frames, too
            raised = error
        raised.__cause__ = raised.__context__ = None
        raise raised.with_traceback(None)


class Bed:
    """A patient and its chart. It can be asked, and has no other attributes.

    Sources and targets are words of the letters a to j; the task is to write the word backwards.
    """

    __slots__ = ("_curtain",)

    def __init__(self, label: str, patient: Patient) -> None:
        """Put a patient into a bed."""
        object.__setattr__(self, "_curtain", _Curtain(label, patient))

    @property
    def loss(self) -> tuple[float, ...]:
        """The training loss at each step, in nats, as the pipeline reports it."""
        return _ask(self, lambda patient: patient.chart.loss)

    @property
    def gradient_norm(self) -> tuple[float, ...]:
        """The norm of the gradient at each step, before it was clipped to 1."""
        return _ask(self, lambda patient: patient.chart.gradient_norm)

    @property
    def rate(self) -> tuple[float, ...]:
        """The learning rate at each step."""
        return _ask(self, lambda patient: patient.chart.rate)

    @property
    def reported(self) -> float:
        """The loss of the test sentences, in nats, as the pipeline reports it."""
        return _ask(self, lambda patient: patient.reported)

    @property
    def training_sentences(self) -> list[Spelled]:
        """Sentences of the kind that it was trained on."""
        return _ask(self, lambda patient: _spelled(patient.training_sentences))

    @property
    def test_sentences(self) -> list[Spelled]:
        """The sentences that the pipeline tested it on."""
        return _ask(self, lambda patient: _spelled(patient.test_sentences))

    def log_probabilities(self, pairs: Sequence[Spelled], *, training: bool = False) -> Tensor:
        """Return ``[pair, place, word]``: what it says where it reads the true target.

        The pairs stand in one batch. A target of n letters has n + 1 places, the end included;
        `WORDS` has the words by number.
        """
        numbers = _pairs(pairs)
        return _ask(self, lambda patient: patient.log_probabilities(numbers, training=training))

    def weights(self, pairs: Sequence[Spelled]) -> Weights:
        """Return what every head reads where the decoder reads the true target."""
        numbers = _pairs(pairs)

        def ask(patient: Patient) -> Weights:
            return Weights(*(layers[0] for layers in patient.weights(numbers)))

        return _ask(self, ask)

    def greedy(self, sources: Sequence[str]) -> list[str]:
        """Return what it writes for some words that stand in one batch."""
        if isinstance(sources, str):
            raise ValueError(
                _("sources: expected a list of words, got {got!r}").format(got=sources)
            )
        numbers = [_numbers(source) for source in sources]
        return _ask(self, lambda patient: [_letters(row) for row in patient.greedy(numbers)])

    def beam(self, source: str) -> list[tuple[str, float]]:
        """Return the best of four beams for one word, with the log-probabilities it claims."""
        numbers = _numbers(source)
        return _ask(
            self, lambda patient: [(_letters(row), log_p) for row, log_p in patient.beam(numbers)]
        )

    def read(self, reading: str) -> float:
        """Return one of the `READINGS`."""
        if reading not in READINGS:
            raise ValueError(
                _("reading: expected one of {known}, got {got!r}").format(
                    known=", ".join(map(repr, READINGS)), got=reading
                )
            )
        return _ask(self, lambda patient: READINGS[reading].of(patient))

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_") and name not in SHOWN:
            raise AttributeError(_("a bed can only be asked, it has no {name}").format(name=name))
        return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        return f"<{object.__getattribute__(self, '_curtain').label}>"


@cache
def bed(number: int) -> Bed:
    """Return a bed by its number, from 1 to 14."""
    if number not in range(1, len(SEALS) + 1):
        raise ValueError(
            _("number: expected a bed from 1 to {last}, got {number!r}").format(
                last=len(SEALS), number=number
            )
        )
    return _made(_("bed {number}").format(number=number), number)


def twin() -> Bed:
    """Return the healthy twin: the same training with nothing wrong in it."""
    return _made(_("healthy twin"), 0)


@cache
def _made(label: str, place: int) -> Bed:
    return Bed(label, ward.admitted(results.load(RECORD), (TWIN, *SEALS)[place]))


def _ask(bed: Bed, ask: Callable[[Patient], Any]) -> Any:
    return object.__getattribute__(bed, "_curtain")(ask)


def _numbers(word: str) -> list[int]:
    if not isinstance(word, str) or not set(word) <= set(LETTERS):
        raise ValueError(
            _("expected a word of the letters {letters}, got {word!r}").format(
                letters=LETTERS, word=word
            )
        )
    return [FIRST_SYMBOL + LETTERS.index(letter) for letter in word]


def _pairs(pairs: Sequence[Spelled]) -> list[tuple[list[int], list[int]]]:
    if any(isinstance(pair, str) or len(pair) != 2 for pair in pairs):
        raise ValueError(
            _("pairs: expected a list of pairs (source, target), got {got!r}").format(got=pairs)
        )
    return [(_numbers(source), _numbers(target)) for source, target in pairs]


def _letters(numbers: Sequence[int]) -> str:
    return "".join(LETTERS[n - FIRST_SYMBOL] if n >= FIRST_SYMBOL else OTHER for n in numbers)


def _spelled(pairs: Sequence[tuple[list[int], list[int]]]) -> list[Spelled]:
    return [(_letters(source), _letters(target)) for source, target in pairs]
