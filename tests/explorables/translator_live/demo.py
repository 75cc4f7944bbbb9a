"""The live figures with recorded translations, and pages that say where the model is."""

from functools import cache

from bottomup.explorables import LiveTranslator, translator_live, translator_small
from bottomup.explorables.translator_live.script import live_script
from bottomup.results.translator import Translation, translator

SENTENCES = (
    "the cat ate two apples",
    "the nurse helped the doctor",
    "grandmother read three books",
)
FIRST_IN_KOREAN = "고양이는 사과 두 개를 먹었다."
BIG = "the big cat ate two apples ."
BIG_IN_KOREAN = "큰 고양이는 사과 두 개를 먹었다."
MODEL, HALF = "model.js", "half.js"
META = "".join(
    (
        '<link rel="icon" href="data:,">',
        f'<meta name="bottomup-model-encoder_decoder" content="{MODEL}">',
        f'<meta name="bottomup-model-decoding_search" content="{HALF}">',
    )
)
# What the page writes for a setting: names as tuples, in the order of Changes.
LINE = (
    'translator().translate("a .", Changes(heads=("decoder_layers.1.cross_attention:2",), '
    'skips=("encoder_layers.0.attention",), updates=("decoder_layers.0.feed_forward",), '
    'positions=("source",), causal=False, hidden=(2, 0), patches=(Patch("encoder_layers.0", 1, '
    'translator().state("the dog | slept .", "encoder_layers.0", 3)),)))'
)
ALONE = ("heads", "state", "draw", "search")  # figures with one panel


@cache
def recorded() -> tuple[Translation, ...]:
    """The translations of the table, and the sentences of the buttons."""
    return tuple(translator().translate(sentence) for sentence in SENTENCES)


@cache
def figures() -> dict[str, LiveTranslator]:
    """All figures by name."""
    made = {
        "live": translator_live(recorded()),
        "small": translator_small(recorded(), link="chapter.ipynb#switches"),
    }
    for panel in ALONE:
        half = panel in ("draw", "search")
        made[panel] = translator_live(
            recorded(),
            panels=[panel],
            model="decoding_search" if half else "encoder_decoder",
            link=None if half else "chapter.ipynb",
        )
    return made


def scripts() -> dict[str, str]:
    """What a page loads, by the names of the files."""
    return {MODEL: live_script("encoder_decoder"), HALF: live_script("decoding_search")}
