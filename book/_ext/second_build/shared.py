"""What a page is written from besides its own text: titles, numbers, names, places of others.

Where none of it changed, a page that was not read again is what it would be if it were written.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.environment import BuildEnvironment

from . import inputs

# In Sphinx's metadata of a page: no other page shows them.
OF_ONE_PAGE = {inputs.KEPT_AS, "wordcount"}
# Of languages that the book does not document; and citations, which hold numbers of lines.
LEFT_OUT = {"c", "cpp", "cite"}


def looked_into(env: BuildEnvironment) -> set[str]:
    """Return the pages whose text others show: terms with their definitions, and navigation."""
    terms = {
        page for _, _, kind, page, _, _ in env.get_domain("std").get_objects() if kind == "term"
    }
    return terms | set(env.toctree_includes)


def digest(env: BuildEnvironment) -> str:
    """Return a digest of all that pages tell each other."""
    root = Path(env.srcdir)
    total = sha256()
    for fact in (
        inputs.digest(root, "code"),
        inputs.digest(root, "references"),
        inputs.digest(root, "languages"),
        set(env.all_docs),
        env.titles,
        env.longtitles,
        env.tocs,
        env.toctree_includes,
        env.toc_secnumbers,
        env.toc_fignumbers,
        env.images,
        env.dlfiles,
        {page: of_others(kept) for page, kept in env.metadata.items()},
        {name: data for name, data in env.domaindata.items() if name not in LEFT_OUT},
        citations(env),
        getattr(env, "sphinx_exercise_registry", None),
        getattr(env, "_viewcode_modules", None),
        getattr(env, "live_models", None),
    ):
        total.update(repr(plain(fact)).encode())
    return total.hexdigest()


def of_others(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return what other pages may show of a page's metadata."""
    return {name: value for name, value in metadata.items() if name not in OF_ONE_PAGE}


def citations(env: BuildEnvironment) -> object:
    """Return which page cites what under which anchor, and how each work is named."""
    data = env.domaindata["cite"]
    cited: dict[str, list[object]] = {}
    for each in data["citation_refs"]:
        cited.setdefault(each.docname, []).append((each.citation_ref_id, each.targets))
    named = [(each.citation_id, each.key, each.formatted_entry.label) for each in data["citations"]]
    return cited, named


def plain(value: object) -> object:
    """Return a value as lists and texts; what has no order is sorted."""
    if isinstance(value, nodes.Node):
        return value.pformat()
    if isinstance(value, dict):
        return sorted((repr(plain(name)), plain(each)) for name, each in value.items())
    if isinstance(value, set | frozenset):
        return sorted(repr(plain(each)) for each in value)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return repr(value)
