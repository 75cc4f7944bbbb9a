"""The live figures with recorded translations, and pages that say where the model is."""

from functools import cache

from bottomup.explorables import LiveTranslator, translator_live, translator_small
from bottomup.explorables.engine import model_script
from bottomup.results.translator import Translation, translator

SENTENCES = (
    "the cat ate two apples",
    "the nurse helped the doctor",
    "grandmother read three books",
)
FIRST_IN_KOREAN = "고양이는 사과 두 개를 먹었다."
BIG = "the big cat ate two apples ."
BIG_IN_KOREAN = "큰 고양이는 사과 두 개를 먹었다."
MODEL = "model.js"
META = (
    f'<link rel="icon" href="data:,"><meta name="bottomup-model-encoder_decoder" content="{MODEL}">'
)


@cache
def recorded() -> tuple[Translation, ...]:
    """The translations of the table, and the sentences of the buttons."""
    return tuple(translator().translate(sentence) for sentence in SENTENCES)


@cache
def figures() -> dict[str, LiveTranslator]:
    """Both figures by name."""
    made = {
        "live": translator_live(recorded()),
        "small": translator_small(recorded(), link="chapter.html#switches"),
    }
    return made


@cache
def script() -> str:
    """The model as a page loads it."""
    return model_script("encoder_decoder")
