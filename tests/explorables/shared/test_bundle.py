"""The scripts of the figures: what each imports, how they become one, and how heavy they are."""

import gzip
import re
from importlib.resources import files

import pytest

from bottomup.explorables.shared import bundle

FOLDER = files("bottomup.explorables")
FIGURES = sorted(
    folder.name for folder in FOLDER.iterdir() if folder.joinpath(f"{folder.name}.js").is_file()
)
FILES = sorted(
    f"{folder.name}/{path.name}"
    for folder in FOLDER.iterdir()
    if folder.is_dir()
    for path in folder.iterdir()
    if path.name.endswith((".js", ".css"))
)
LIBRARY = "translator_live/whole.js"  # comes with a model
SCRIPTS = [path for path in FILES if path.endswith(".js")]


@pytest.fixture
def written(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """Let the bundler read from a folder of its own."""
    monkeypatch.setattr(bundle, "files", lambda package: tmp_path)
    for cached in (bundle.read, bundle.script, bundle.style):
        cached.cache_clear()

    def write(**texts: str) -> None:
        for name, text in texts.items():
            path = tmp_path / name.replace("__", "/").replace("_js", ".js").replace("_css", ".css")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

    yield write
    for cached in (bundle.read, bundle.script, bundle.style):
        cached.cache_clear()


def test_a_module_stands_below_what_it_imports_in_a_scope_of_its_own(written):
    written(
        figure__figure_js='import { double } from "../shared/numbers.js";\n'
        'import { two } from "./two.js";\n\nexport function mount() { return double(two); }\n',
        figure__two_js='import { double } from "../shared/numbers.js";\n\n'
        "const one = 1;\nexport const two = double(one);\n",
        shared__numbers_js="export function double(one) {\n  return 2 * one;\n}\n",
    )
    assert bundle.script("figure") == (
        "const modules = {};\n\n"
        'modules["shared/numbers.js"] = (() => {\n'
        "function double(one) {\nreturn 2 * one;\n}\n"
        "return { double };\n})();\n\n"
        'modules["figure/two.js"] = (() => {\n'
        'const { double } = modules["shared/numbers.js"];\n'
        "const one = 1;\nconst two = double(one);\n"
        "return { two };\n})();\n\n"
        'modules["figure/figure.js"] = (() => {\n'
        'const { double } = modules["shared/numbers.js"];\n'
        'const { two } = modules["figure/two.js"];\n'
        "function mount() { return double(two); }\n"
        "return { mount };\n})();\n"
    )


def test_the_style_beside_a_module_comes_with_it_the_figures_own_last(written):
    written(
        figure__figure_js='import { a } from "../shared/a.js";\nexport const mount = a;\n',
        figure__figure_css="figure {}\n",
        shared__a_js='import { b } from "./b.js";\nexport const a = b;\n',
        shared__b_js="export const b = 1;\n",
        shared__b_css="b {}\n",
        shared__c_css="c {}\n",
    )
    assert bundle.style("figure") == "b{}figure{}"


def test_a_library_is_a_classic_script_that_brings_the_style_that_is_not_there(written):
    written(
        figure__figure_js='import { a } from "../shared/a.js";\nexport const mount = a;\n',
        figure__whole_js='import { a } from "../shared/a.js";\n'
        "export function* count() { yield a; }\n"
        "export async function wait() { return a; }\n",
        figure__whole_css='whole { content: "a" }\n',
        shared__a_js="export const a = 1;\n",
        shared__a_css="a {}\n",
    )
    library = bundle.library("figure/whole.js", "shelf", beside="figure")
    assert library.startswith("globalThis.shelf = (() => {\nconst modules = {};\n\n")
    assert "return { count, wait };" in library
    assert library.endswith(
        'return { ...modules["figure/whole.js"], style: "whole{content:\\"a\\"}" };\n})();\n'
    )


def test_modules_that_import_each_other_are_refused(written):
    written(
        figure__figure_js='import { a } from "./a.js";\n',
        figure__a_js='import { mount } from "./figure.js";\n',
    )
    with pytest.raises(ValueError, match=r"figure/figure.js → figure/a.js → figure/figure.js"):
        bundle.script("figure")


@pytest.mark.parametrize(
    "line",
    [
        'import * as a from "./a.js";',
        'import a from "./a.js";',
        'import "./a.js";',
        "export default 1;",
        "export { one };",
        "export let one = 1;",
    ],
)
def test_what_the_bundler_does_not_read_is_refused(written, line):
    written(figure__figure_js=f"const one = 1;\n{line}\n")
    with pytest.raises(ValueError, match="expected imports and exports by name, got "):
        bundle.script("figure")


def test_no_module_stands_there_for_nothing():
    entries = [LIBRARY, *(bundle.entry(name) for name in FIGURES)]
    used = {module for entry in entries for module in bundle.modules(entry)}
    assert set(SCRIPTS) - used == set()
    styles = {path for path in FILES if path.endswith(".css")} - {"shared/page.css"}
    assert styles <= {f"{script.removesuffix('.js')}.css" for script in SCRIPTS}


@pytest.mark.parametrize("path", FILES)
def test_scripts_and_styles_are_short_and_may_stand_inside_a_page(path):
    text = bundle.read(path)
    assert text.count("\n") <= 300
    assert re.search("</script|</style|<!--|https?://(?!www.w3.org/2000/svg)", text) is None


@pytest.mark.parametrize("name", FIGURES)
def test_script_of_a_figure_is_light(name):
    assert "mount" in bundle.exports(bundle.entry(name))
    assert len(gzip.compress(bundle.script(name).encode())) <= 8_500  # as a server sends it
