"""What holds for each figure in a browser: sizes, names, keys, copies, no script, hostile words."""

import json

import pytest
from playwright.sync_api import Locator, Page

from bottomup.explorables import (
    HeadsOfSentence,
    LayersOfSentence,
    PatchedPair,
    alignment_explorer,
    head_dictionary,
    head_gallery,
    induction_builder,
    layer_attention,
    mask_painter,
    names_board,
    neuron_inspector,
    patching_board,
    pattern_painter,
    query_and_keys,
    segments,
)
from bottomup.results.pretrained import HeadAnswers, NameScores
from tests.explorables.conftest import Open
from tests.explorables.demo import (
    CAT,
    CURVES,
    HEADS,
    INDUCTION,
    JOURNEY,
    JOURNEY_SOURCE,
    JOURNEY_TARGET,
    LAYERS,
    LETTER,
    MASK,
    NAMES,
    NEURONS,
    PATCHES,
    QUERY,
    SUPERPOSITION,
    WORDS,
    journey_figure,
)
from tests.explorables.demo import HOSTILE as HOSTILE_SENTENCE
from tests.explorables.layer_slider_demo import LAYER_SLIDER
from tests.explorables.layer_slider_demo import hostile_figure as hostile_slider
from tests.explorables.viewer import AS_JUPYTERLAB, figure, summary
from tests.site.accessibility import findings_in_both_modes, serious_findings
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE

pytestmark = pytest.mark.slow

FIGURES = {
    "alignments": alignment_explorer([CAT, LETTER], CURVES),
    "query": QUERY,
    "mask": MASK,
    "heads": HEADS,
    "superposition": SUPERPOSITION,
    "neurons": NEURONS,
    "layers": LAYERS,
    "journey": JOURNEY,
    "patterns": pattern_painter(),
    "slider": LAYER_SLIDER,
    "induction": INDUCTION,
    "patches": PATCHES,
    "segments": segments(),
    "names": NAMES,
    "dictionary": WORDS,
}
HTML = {name: made._repr_html_() for name, made in FIGURES.items()}

# Text below 12 px, and controls below 24 px in one direction.
FIND_SMALL = """figure => [...figure.shadowRoot.querySelectorAll("*")].flatMap(element => {
  const name = element.tagName + "." + element.getAttribute("class");
  const { width, height } = element.getBoundingClientRect();
  const written = [...element.childNodes].some(child => child.nodeType === 3 && child.data.trim());
  const { a, b } = element.ownerSVGElement ? element.getScreenCTM() : { a: 1, b: 0 };
  const size = parseFloat(getComputedStyle(element).fontSize) * Math.hypot(a, b);
  const control = element.matches("button, input, [role=slider], [role=grid] tbody td");
  return [
    ...(written && element.tagName !== "STYLE" && size < 12 ? [`${name}: ${size} px`] : []),
    ...(control && Math.min(width, height) < 24 ? [`${name}: ${width}×${height}`] : []),
  ];
})"""


# Of each figure the control that the keyboard moves through what is drawn.
FIRST = (
    "[role=grid] td[tabindex='0'], [role=option][aria-selected=true], .handle, "
    ".row input:checked, .matrix input:checked, [role=treeitem][tabindex='0'], "
    ".bars[tabindex='0'], .rows[tabindex='0']"
)


@pytest.fixture(params=FIGURES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def act(seen: Locator) -> None:
    """Do what changes each figure's summary, with the keyboard."""
    seen.locator(FIRST).first.focus()
    for key in ("ArrowDown", "End", "Space") + ("Shift+ArrowLeft",) * 8:
        seen.page.keyboard.press(key)


def listed(page: Page) -> list[str]:
    """Every control in the order in which Tab reaches it, until it leaves the figure."""
    page.evaluate("document.activeElement.blur()")
    stops: list[str] = []
    while True:
        page.keyboard.press("Tab")
        stop = page.evaluate(
            """() => {
              const active = document.activeElement.shadowRoot?.activeElement;
              return active && (active.ariaLabel || active.textContent || active.type);
            }"""
        )
        if stop is None:
            return stops
        stops.append(stop)


def test_axe_finds_nothing_and_nothing_is_too_wide_or_too_small(open_page: Open, name):
    page = open_page(HTML[name], reduced_motion="reduce")
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        act(figure(page))
        assert page.evaluate(FIND_OVERFLOW) == []
        assert figure(page).evaluate(FIND_SMALL) == []
    assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}


def test_small_and_faint_things_are_found(open_page: Open):
    page = open_page(HTML["alignments"])
    seen = figure(page)
    shrink = "control => Object.assign(control.style, { height: '20px', padding: 0 })"
    seen.locator("button, input").last.evaluate(shrink)
    seen.locator(".summary").evaluate(
        "summary => Object.assign(summary.style, { fontSize: '11px', color: '#ddd' })"
    )
    found = {entry.split(":")[0].split(" ")[0] for entry in seen.evaluate(FIND_SMALL)}
    assert found >= {"P.summary", "INPUT.null"}
    assert [found for found in serious_findings(page, contrast=True) if ".summary" in found]


# The row that the names board starts with, and the cell that the patching board starts with.
NAMED_ROW = "acting: 0.12, with the head frozen 0.58"
BEST = "Head 0.1 at “.”: effect 1.08, weight 0.19"

STOPS = {
    "alignments": [
        "the cat ate two apples.the letter is short.", "radio", "radio", "사과sagwaapple",
    ],
    "query": [
        "radio", "range", "Reset", "query of it", "key of animal", "key of street", "key of was",
        "key of tired", "key of crossed",
    ],
    "mask": [
        "none", "causal", "padding (last two)", "window", "block", "radio",
        "“the” reads “the”, allowed, weight 1.00",
    ],
    "heads": [
        "after the rain my grandmother found two old umbrellas here today.the cat saw the dog.",
        "Turn all on", "Head 1.1",
        *(f"Head {layer}.{head}, accuracy once switched: {accuracy}"
          for layer, once in ((1, "960 970 950 970 970 966 970 970"),
                              (2, "970 670 970 970 970 980 970 970"))
          for head, accuracy in enumerate((f"0.{digits}" for digits in once.split()), start=1)),
        "radio",
    ],
    "superposition": ["range", "range", "Feature 1"],
    "neurons": [
        "radio", "choosetennischessrowingjudogolf",
        "choose" + "".join(json.loads(NEURONS.data)["names"]), "Neuron, arrow keys move",
    ],
    "layers": [
        "after the rain my grandmother found two interesting things here.the cat ate.", "radio",
        "Head 1.1", "radio",
    ],
    "journey": ["radio", "radio", "radio"],
    "patterns": [
        "radio", "radio", "range", "checkbox", "Queries; arrow keys choose", "query above",
        "query below", "radio", "checkbox", "radio",
    ],
    "slider": ["range", "radio", "station before", "station after", "radio"],
    "induction": [
        "radio", "range", *["checkbox"] * 4,
        *(f"Symbol at place {place}" for place in range(1, 9)), "radio",
    ],
    "patches": ["objectboth", "radio", "radio", BEST],
    "segments": ["radio", "radio", "radio", "range"],
    "names": [
        "AnnaBartholomews", "FischerKingFeatherstone",
        "Anna Fischer", "Bartholomews Featherstone", "Anna King", "range", NAMED_ROW,
    ],
    "dictionary": ["text", "radio", "jordan", "king"],
}  # fmt: skip


# Parts that are read aloud: a figure's groups, pictures and sliders, some of them.
NAMED = {
    "heads": ["group: Head to look at", "radiogroup: Query, arrow keys move"],
    "layers": ["group: Attention", "group: Head to look at", "radiogroup: Query, arrow keys move"],
    "induction": ["group: Your text", "radiogroup: Query of layer 1, arrow keys move"],
    "neurons": ["slider: Neuron, arrow keys move", "group: Order of the neurons"],
    "names": ["radiogroup: Profession, arrow keys move", "group: Names to try"],
    "dictionary": ["textbox: An English word", "group: Words to try"],
    "patches": ["grid: Effects; arrow keys move", "group: Direction"],
    "superposition": ["slider: Importance decay"],
}
MOVING = """figure => [...figure.shadowRoot.querySelectorAll("*")].filter(element => {
  const { transitionDuration, animationName } = getComputedStyle(element);
  return transitionDuration !== "0s" || animationName !== "none";
}).length"""
# The outlines of all that can be seen.
OUTLINES = """figure => [...figure.shadowRoot.querySelectorAll("*")]
  .filter(element => element.getBoundingClientRect().width > 9)
  .map(element => getComputedStyle(element).outline)"""


def test_tab_reaches_everything_which_has_a_name_and_shows_focus(open_page: Open, name):
    page = open_page(HTML[name] + "<button>behind it</button>")
    seen = figure(page)
    assert not page.evaluate("document.querySelector('article table').checkVisibility()")
    assert listed(page) == STOPS[name]
    assert seen.get_attribute("aria-label") == FIGURES[name].payload["labels"]["title"]
    for part in NAMED.get(name, []):
        role, _, said = part.partition(": ")
        assert seen.get_by_role(role, name=said, exact=True).count() == 1
    assert seen.locator(".summary").get_attribute("aria-live") == "polite"
    if name != "alignments":  # whose bars move, unless a reader asks for the contrary
        assert seen.evaluate(MOVING) == 0
    before = seen.evaluate(OUTLINES)
    if name != "patches" and seen.locator(FIRST).count():  # there what is chosen has an outline
        seen.locator(FIRST).first.focus()
        page.keyboard.press("Shift")  # the browser now takes the keyboard for what moved the focus
        assert seen.evaluate(OUTLINES) != before


def test_copies_that_a_notebook_puts_in_work_each_for_itself(open_page: Open, name):
    page = open_page("")
    for _ in range(2):  # the cell runs, and runs again
        page.evaluate(AS_JUPYTERLAB, HTML[name])
    page.wait_for_function("document.querySelectorAll('[data-mounted]').length === 2")
    first, second = figure(page, 0), figure(page, 1)
    before = summary(first)
    act(second)
    second.locator("input[type=radio]").nth(1).check()
    assert summary(first) == before != summary(second)
    assert first.locator("input[type=radio]").first.is_checked()


def test_without_script_the_table_is_shown_and_scrolls_alone(open_page: Open, name):
    page = open_page(HTML[name], java_script_enabled=False, viewport=PHONE)
    assert page.locator("table").is_visible()
    assert page.evaluate(FIND_OVERFLOW) == []


def test_where_the_script_fails_the_table_stays(windows, tmp_path, name):
    path = tmp_path / "page.html"
    html = HTML[name]
    for needed in ("start", "vectors", "scores", "sentences", "neurons", "sides"):
        html = html.replace(f'"{needed}":', '"lost":')
    path.write_text(html, encoding="utf-8")
    window = windows.take()
    window.page.goto(path.as_uri())
    assert window.errors
    assert window.page.locator("table").is_visible()
    windows.give_back(window)


HOSTILE = {
    "alignments": alignment_explorer([HOSTILE_SENTENCE], CURVES),
    "query": query_and_keys("<b>{word}", [1, 1], {"{weight}": [1, 2], "</script>": [2, 0]}),
    "mask": mask_painter(["<img>", "{words}", "</b>", "<!--"], [[0.0] * 4] * 4),
    "heads": head_gallery(
        [HeadsOfSentence(["<b>{word}", "</script>"], [[[[0.0, 1.0], [1.0, 0.0]]]])],
        accuracy=[[1, 0]],
        chance=0.5,
    ),
    "neurons": neuron_inspector(
        ["<b>{all}", "{attribute}"],
        [0, 1],
        ["</script>", "{half}"],
        activations=[[1.0], [0.0]],
        effects=[[1.0, -1.0]],
    ),
    "layers": layer_attention(
        [
            LayersOfSentence(
                ["<b>{word}", "</script>"],
                ["<img>", "{query}"],
                [[[[0.0, 1.0], [1.0, 0.0]]]],
                [[[[1.0, 0.0], [1.0, 0.0]]]],
                [[[[0.0, 1.0]] * 2]],
            )
        ]
    ),
    "journey": journey_figure(
        ["<b>{word}", *JOURNEY_SOURCE[1:5], "</script>", *JOURNEY_SOURCE[6:]],
        [JOURNEY_TARGET[0], "{answer}", *(["<img>"] * (len(JOURNEY_TARGET) - 2))],
    ),
    "slider": hostile_slider(),
    "patches": patching_board(
        [
            PatchedPair(
                "<b>",
                ["<b>{word}", "</script>"],
                ["<img>", "{place}"],
                ["{words}"],
                ("<!--", "{right}"),
                effects={d: {"m": [[0.5, 0.0, 0.0]] * 2} for d in ("denoising", "noising")},
                weights={run: [[[1.0, 0.0]]] for run in ("clean", "corrupted")},
            )
        ],
        {"m": "{metric}"},
    ),
    "induction": induction_builder(["<b>", "{a}"], [["<b>", "{a}", "<b>", "{a}"]]),
    "names": names_board(
        NameScores(
            ["<img>"],
            ["{name}"],
            ["<b>", "{other}"],
            [(0, 0, 0)],
            intact=[[[[0.0, 0.0], [0.0, 0.0], [0.5, 0.25]]]],
            frozen=[[[[0.0, 0.0], [0.0, 0.0], [0.25, 0.5]]]],
            notice="<b>",
        ),
        examples=["<img> {name}"],
    ),
    "dictionary": head_dictionary(
        HeadAnswers(
            {
                "<b>{word}": (
                    [("</script>", 2.0), ("{first}", 1.0)],
                    [("<img>", 2.0), ("<!--", 1.0)],
                )
            },
            typical=(1.0, 1.0),
            count=2,
            notice="<b>",
        ),
        examples=["<b>{word}"],
    ),
}  # the map of superpositions and the patterns hold no words


# What a figure then says, somewhere in its summary, and words that stand in it.
SAID = {
    "alignments": "“</script><script>window.hit=1</script>” 0.20, “{word}” 0.20.",
    "query": "“<b>{word}” reads “{weight}” most, with weight",
    "mask": "the future: “<img>”, “{words}”, “</b>”.",
    "heads": ", “<b>{word}” reads “</script>” 1.00.",
    "layers": ", “<b>{word}” reads “</script>” 1.00.",
    "neurons": "promotes “</script>” most too",
    "journey": "Behind “{answer}” the model then expects “",
    "slider": (
        "<b>{station}, layer 1: clusters tell 0.50 of the input token’s 2.00 nats. "
        "PWCCA distance: </script> 0.50. "
        "Neighbours of “<img>”: </b> 50\u00a0%, other types 50\u00a0%."
    ),
    "patches": "Head 0.0 at “<img>”, as in the clean run: 0.50 of the {metric} between “<!--” and ",
    "names": (
        "<img> {name}, after layer 1: <b> falls from 0.50 to 0.25 when the head is frozen. The "
        "highest score is that of <b>, and with the head frozen that of {other}."
    ),
    "dictionary": "“<b>{word}” looks most for “</script>”, with a score of 2.0, and then for",
    "induction": "layer 1 reads “<b>” at place 3 (1.00). Predicted: “<b>” 1.00.",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_words_are_never_read_as_html(open_page: Open, name):
    for script in (True, False):
        page = open_page(HOSTILE[name]._repr_html_(), java_script_enabled=script)
        bold = "th b" if name == "alignments" else "td b"  # whose gold links are bold
        assert page.locator(f"article img, article {bold}").count() == 0
        if script:
            if name == "mask":  # under the causal one no word is named
                figure(page).get_by_role("button", name="none").click()
            assert SAID[name] in summary(figure(page))
            assert page.evaluate("window.hit") is None
        elif name not in ("heads", "journey"):  # their tables hold no words
            assert "<" in page.locator("table").inner_text()
