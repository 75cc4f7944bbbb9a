"""What a docstring must say, told from the definition that it belongs to."""

import ast
import re
from collections.abc import Mapping

from tests.structure.public import Function, Public

JAXTYPING = {"Bool", "Float", "Float32", "Float64", "Int64", "Real"}
ARRAYS = {"Tensor", "ndarray", "NDArray"}
# Axes in brackets, or words that say that there is nothing to list.
AXES = re.compile(r"\[(?:\.\.\.|[\w+* =]+)(?:, [\w+* =]+)*\]|\bscalars?\b|\bany shape\b")
CHECKED = {"TypeError", "ValueError"}  # said once for the package, in `checks`
UNSAID = {"device"}  # an argument that means the same everywhere
ELSEWHERE = re.compile(r"\bsee `(\w+\.\w+)`")  # an overriding method leaves the rest to this one
RESULTS = ("dataclass", "NamedTuple", "Protocol", "Warning", "Error")  # computes nothing itself


def sections(doc: str) -> dict[str, str]:
    """Return the text below each heading: "Args", "Raises"."""
    found = re.split(r"^([A-Z]\w+):\n((?:(?: .*)?(?:\n|\Z))*)", doc, flags=re.M)
    return dict(zip(found[1::3], found[2::3], strict=True))


def entries(section: str) -> dict[str, str]:
    """Return what a section says of each name: of "W_a, U_a: text" the same for both."""
    found = re.split(r"^    (\S[^:\n]*):(?=\s)", section, flags=re.M)
    return {
        name.strip(" *`"): text
        for names, text in zip(found[1::2], found[2::2], strict=True)
        for name in names.split(",")
    }


def is_bare(annotation: ast.AST | None) -> bool:
    """Say whether an annotation has a tensor or an array whose axes it does not name."""
    if annotation is None:
        return False
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) in JAXTYPING:
        return False
    name = ast.unparse(annotation).split(".")[-1]
    return name in ARRAYS or any(is_bare(child) for child in ast.iter_child_nodes(annotation))


def without_axes(item: Public) -> list[str]:
    """Return the arguments and fields, and "return", whose axes stand nowhere."""
    said = sections(item.doc)
    about = {**entries(said.get("Attributes", "")), **entries(said.get("Args", ""))}
    texts = {
        **{argument.arg: argument.annotation for argument in item.arguments},
        **{ast.unparse(node.target): node.annotation for node in item.fields},
    }
    missing = [
        name
        for name, annotation in texts.items()
        if is_bare(annotation) and not AXES.search(about.get(name, item.doc))
    ]
    returned = item.node.returns if isinstance(item.node, Function) else None
    if is_bare(returned) and not AXES.search(item.doc):
        missing.append("return")
    return missing


def errors(function: Function, helpers: Mapping[str, Function]) -> set[str]:
    """Return the errors that a function raises, itself or through the helpers it calls."""
    found, waiting, seen = set(), [function], {function.name}
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Raise) and node.exc is not None:
                raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                found.add(ast.unparse(raised))
            elif isinstance(node, ast.Call):
                name = ast.unparse(node.func).removeprefix("self.")
                if name in helpers:
                    waiting += [helpers[name]] if name not in seen else []
                    seen.add(name)
    return found - {"NotImplementedError"}


def unsaid_errors(item: Public) -> list[str]:
    """Return the errors beside those of all arguments that the section "Raises" does not name."""
    if ELSEWHERE.search(item.doc):
        return []
    said = sections(item.doc).get("Raises", "")
    raised = set().union(*(errors(body, item.helpers) for body in item.bodies))
    return sorted(name for name in raised - CHECKED if not re.search(rf"\b{name}\b", said))


def wrong_names(item: Public) -> list[str]:
    """Return the names of a section that do not exist, and those that a section leaves out."""
    said = sections(item.doc)
    arguments = {argument.arg for argument in item.arguments}
    fields = {ast.unparse(node.target) for node in item.fields}
    kept = attributes(item.node) if isinstance(item.node, ast.ClassDef) else set()
    wrong: set[str] = set()
    for section, own, known in (
        ("Args", arguments or fields, arguments | fields),
        ("Attributes", fields, fields | kept),
    ):
        if section in said:
            named = set(entries(said[section]))
            wrong |= (named - known) | (own - named - UNSAID)
    return sorted(wrong)


def attributes(node: ast.ClassDef) -> set[str]:
    """Return what an object has beside its fields: properties, buffers, and what is set on self."""
    stored = {
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
    }
    methods = {inner.name for inner in node.body if isinstance(inner, Function)}
    return stored | methods


def computes(item: Public) -> bool:
    """Say whether a definition is a function or a module: no method, no bundle of results."""
    if isinstance(item.node, Function):
        return not item.is_method
    marks = [*item.node.decorator_list, *item.node.bases]
    return not any(word in ast.unparse(mark) for mark in marks for word in RESULTS)


def has_source(doc: str) -> bool:
    """Say whether a docstring names the source, or the chapter, of what it describes."""
    return re.search(r"\bSource: \S|\b[Cc]hapters?\s+\d\d", doc) is not None


def chapters(doc: str) -> set[str]:
    """Return the numbers of the chapters that a docstring names: "01b"."""
    found = re.findall(r"\b[Cc]hapters?\s+(\d\db?(?:(?:,|\s+and|\s+to)\s+\d\db?)*)", doc)
    return set(re.findall(r"\d\db?", " ".join(found)))


def papers(doc: str) -> set[tuple[frozenset[str], str]]:
    """Return the papers that a docstring cites, as authors and year."""
    author = r"[A-Z][\w'’-]+"
    cited = re.findall(
        rf"((?:{author}(?:,\s+|\s+and\s+|\s+&\s+))*{author})(?:\s+et\s+al\.)?\s+\((\d{{4}})\)", doc
    )
    return {(frozenset(re.findall(author, authors)), year) for authors, year in cited}
