"""The names in the equation tables of the chapters, and the code to which the site links them."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import code_links
import pytest
from code_links import linked_source, places, source_pages, tables
from docutils import nodes
from docutils.core import publish_doctree
from myst_parser.parsers.docutils_ import Parser

PAGE = "chapters/00_warm_up"
API = "bottomup.masks.causal_mask"
TABLE = """
| eq. | function | paper |
|---|---|---|
| (1) | `causal_mask`, by hand | `not this` |
| (2) | `torch.nn.GRU` | |

| symbol | in the library |
|---|---|
| q | `query` |
"""


def page(markdown: str) -> nodes.document:
    doctree = publish_doctree(markdown, parser=Parser(), settings_overrides={"report_level": 5})
    assert isinstance(doctree, nodes.document)
    return doctree


def application(*documented: str) -> Any:
    """Return what the extension asks of Sphinx, where the API has entries of these names."""
    objects = {name: SimpleNamespace(docname="book/api/masks", node_id=name) for name in documented}
    env = SimpleNamespace(
        docname=PAGE,
        metadata={PAGE: {}},
        get_domain=lambda name: SimpleNamespace(objects=objects),
        _viewcode_modules={},
    )
    builder = SimpleNamespace(get_relative_uri=lambda source, target: f"../{target}.html")
    config = SimpleNamespace(translated_from="")
    return SimpleNamespace(env=env, builder=builder, config=config)


def linked(app: Any, markdown: str, docname: str = PAGE) -> Iterator[nodes.reference]:
    doctree = page(markdown)
    code_links.link_names(app, doctree, docname)
    yield from doctree.findall(nodes.reference)


@pytest.mark.parametrize("heading", ["function", "Function", "function or class", "code"])
def test_the_names_of_a_column_of_code_are_found(heading: str):
    found = tables.names(page(TABLE.replace("function", heading)))
    assert [literal.astext() for literal in found] == ["causal_mask"]


@pytest.mark.parametrize(
    "name, module, public",
    [
        ("causal_mask", "bottomup.masks", "bottomup.masks.causal_mask"),
        ("masks.causal_mask", "bottomup.masks", "bottomup.masks.causal_mask"),
        ("SelfAttention", "bottomup.attention.self_attention", "bottomup.attention.SelfAttention"),
        (
            "attention.self_attention.SelfAttention",
            "bottomup.attention.self_attention",
            "bottomup.attention.self_attention.SelfAttention",
        ),
    ],
)
def test_a_name_leads_to_where_it_is_defined(name: str, module: str, public: str):
    place = places.find(name)
    assert (place.module, place.name) == (module, name.split(".")[-1])
    assert public in place.public


def test_a_name_that_two_parts_import_is_one_and_a_method_belongs_to_its_class():
    assert len(places.find("check_integer").public) > 1
    assert places.find("LanguageModel.unembed").name == "LanguageModel.unembed"


@pytest.mark.parametrize("name", ["no_such_thing", "masks", "masks.no_such", "Tensor.no_such"])
def test_a_name_without_a_place_is_refused(name: str):
    with pytest.raises(LookupError, match=f"{name}: expected one function or class"):
        places.find(name)


def test_a_name_becomes_a_link_to_its_code_and_one_to_the_api():
    code, api = linked(application(API), TABLE)
    assert code["refuri"] == "../_modules/bottomup/masks.html#causal_mask"
    assert [type(child) for child in code.children] == [nodes.literal]
    assert api["refuri"] == f"../book/api/masks.html#{API}"
    assert (api.astext(), api["reftitle"]) == ("API", "causal_mask in the API")
    assert (code["classes"], api["classes"]) == (["code-link"], ["api-link"])


def test_a_name_that_the_api_leaves_out_is_an_anchor_to_come_back_to():
    (code,) = linked(application(), TABLE)
    assert code["ids"] == ["bottomup.masks.causal_mask"]


def test_a_name_that_leads_nowhere_is_a_warning(monkeypatch: pytest.MonkeyPatch):
    warnings = []
    logger = SimpleNamespace(warning=lambda message, location: warnings.append(message))
    monkeypatch.setattr(code_links, "logger", logger)
    assert list(linked(application(), TABLE.replace("causal_mask", "casual_mask"))) == []
    assert [warning.split(":")[0] for warning in warnings] == ["casual_mask"]


def test_the_page_of_the_source_gets_an_anchor_that_leads_back():
    app = application()
    code_links.note_names(app, page(TABLE))
    source_pages.add_anchors(app)
    code, tags, used, documented_as = app.env._viewcode_modules["bottomup.masks"]
    assert used == {"causal_mask": PAGE}
    _, first, _ = tags["causal_mask"]
    assert code.splitlines()[first - 1].startswith("def causal_mask(")
    assert documented_as == "bottomup.masks"


def test_names_on_a_page_of_source_lead_to_their_definitions():
    found = linked_source.definitions("bottomup.attention.scaled_dot_product")
    assert found["masked_softmax"] == ("_modules/bottomup/masks", "masked_softmax")
    own = "_modules/bottomup/attention/scaled_dot_product", "scaled_dot_product_attention"
    assert found["scaled_dot_product_attention"] == own
    assert "Tensor" not in found


def test_a_name_is_a_link_where_it_stands_and_an_anchor_where_it_is_defined():
    app = application("bottomup.attention.causal_mask")
    app.env._viewcode_modules = {"bottomup.masks": True}
    body = (
        '<a class="viewcode-back" href="../../book/api/masks.html#bottomup.masks.causal_mask">\n'
        '<span class="k">def</span><span class="w"> </span><span class="nf">causal_mask</span>\n'
        '<span class="kn">from</span><span class="w"> </span><span class="nn">other</span> '
        '<span class="kn">import</span> <span class="n">causal_mask</span>\n'
        '<span class="n">x</span><span class="o">.</span><span class="n">causal_mask</span>\n'
        '<span class="n">causal_mask</span> <span class="n">Tensor</span>'
    )
    context = {"body": body}
    linked_source.link_source(app, "_modules/bottomup/masks", "", context, None)
    way, definition, foreign, attribute, use = context["body"].splitlines()
    assert way.endswith('href="../book/api/masks.html#bottomup.attention.causal_mask">')
    assert '<span id="def-causal_mask">causal_mask</span>' in definition
    assert "href" not in foreign
    assert "href" not in attribute
    target = "../_modules/bottomup/masks.html#def-causal_mask"
    link = f'<a class="name" href="{target}"><span class="n">causal_mask</span></a>'
    assert use == f'{link} <span class="n">Tensor</span>'
