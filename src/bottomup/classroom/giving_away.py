"""Whether code of a lesson gives an answer away: by a line, or because it calls the same."""

import ast
from collections.abc import Iterator
from functools import cache

from bottomup.exercises.engine.registry import places, text_file
from bottomup.exercises.engine.texts import read_text

TRIVIAL = 20  # characters: a shorter line gives nothing away
# What an answer calls is known by its words, whatever it names its variables: by two of a whole
# answer, or by three of a statement. Fewer are in any code.
OF_AN_ANSWER, OF_A_STATEMENT = 2, 3
COMMON = {
    "bool", "device", "dtype", "enumerate", "float", "float32", "float64", "int", "len", "list",
    "print", "range", "shape", "tuple", "zip",
}  # fmt: skip

Words = frozenset[str]


def gives_away(code: str, slug: str) -> bool:
    """Say whether code holds a line of a right answer, or calls what an answer calls."""
    if any(line in code for line in lines_of_answers(slug)):
        return True
    whole, parts = words_of_answers(slug)
    tree = parsed(code)
    return any(each <= words(tree) for each in whole) or any(
        each <= said for each in parts for said in words_of_statements(tree)
    )


@cache
def lines_of_answers(slug: str) -> set[str]:
    """Return the lines of the right answers to an exercise that say more than any code does."""
    text = read_text(text_file(places()[slug], slug))
    lines = _code_lines(text.solution).union(*(_code_lines(form.source) for form in text.right))
    return {line for line in lines - _code_lines(text.stub) if len(line) >= TRIVIAL}


def _code_lines(source: str) -> set[str]:
    return {line.partition("#")[0].strip() for line in source.splitlines()}


@cache
def words_of_answers(slug: str) -> tuple[set[Words], set[Words]]:
    """Return what right answers call: each as a whole, and each of their statements."""
    text = read_text(text_file(places()[slug], slug))
    trees = [parsed(source) for source in (text.solution, *(form.source for form in text.right))]
    statements = {said for tree in trees for said in words_of_statements(tree)}
    return (
        {said for said in map(words, trees) if len(said) >= OF_AN_ANSWER},
        {said for said in statements if len(said) >= OF_A_STATEMENT},
    )


def parsed(code: str) -> ast.Module:
    """Return the syntax tree of code, an empty one of what is no Python."""
    try:
        return ast.parse(code)
    except SyntaxError:
        return ast.Module([], [])


def words_of_statements(tree: ast.AST) -> Iterator[Words]:
    """Yield the words of each statement that holds no other."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr):
            yield words(node)


def words(tree: ast.AST) -> Words:
    """Return the names behind dots and the functions called, but for those that it defines."""
    found, own = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
        elif isinstance(node, ast.MatMult):
            found.add("@")
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            own.add(node.name)
    return frozenset(found - own - COMMON)
