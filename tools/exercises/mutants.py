"""Mutants of a short function: the same source with one thing wrong."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitOr: (ast.BitAnd,),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ORDER_MATTERS = (ast.Sub, ast.Div, ast.MatMult, ast.Pow, ast.FloorDiv, ast.Mod)


@dataclass(frozen=True)
class Mutant:
    """A changed source text.

    Args:
        change: "line: before -> after", which names it in a list of equivalents.
        source: the whole source text.
    """

    change: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """Return every mutant of the functions in `source`, each once."""
    tree = _without_annotations(ast.parse(source))
    original = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for path, node in _nodes(tree, ()):
        for replacement in _replacements(node):
            changed = copy.deepcopy(tree)
            _replace(changed, path, replacement)
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text != original and text not in found:
                found[text] = Mutant(_change(original, text), text)
    return list(found.values())


def _without_annotations(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return tree


Path = tuple[tuple[str, int | None], ...]


def _nodes(node: ast.AST, path: Path) -> Iterator[tuple[Path, ast.AST]]:
    """Yield every node with the fields that lead to it."""
    for name, value in ast.iter_fields(node):
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST) and not isinstance(child, ast.expr_context):
                step = (*path, (name, index))
                yield step, child
                yield from _nodes(child, step)


def _replace(tree: ast.AST, path: Path, replacement: ast.AST) -> None:
    for name, index in path[:-1]:
        value = getattr(tree, name)
        tree = value if index is None else value[index]
    name, index = path[-1]
    if index is None:
        setattr(tree, name, replacement)
    else:
        getattr(tree, name)[index] = replacement


def _change(original: str, text: str) -> str:
    before, after = original.splitlines(), text.splitlines()
    number = next(i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    return f"{number}: {before[number].strip()} -> {after[number].strip()}"


def _with(node: Any, **fields: Any) -> Any:
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    for kind, replace in _KINDS:
        if isinstance(node, kind):
            yield from replace(node)


def _of_operation(node: ast.BinOp) -> Iterator[ast.AST]:
    for operator in OPERATORS.get(type(node.op), ()):
        yield _with(node, op=operator())
    if isinstance(node.op, ORDER_MATTERS):
        yield _with(node, left=node.right, right=node.left)
    yield node.left
    yield node.right


def _of_augmented_assignment(node: ast.AugAssign) -> Iterator[ast.AST]:
    for operator in OPERATORS.get(type(node.op), ()):
        yield _with(node, op=operator())
    yield ast.Assign([node.target], node.value)
    yield ast.Pass()


def _of_comparison(node: ast.Compare) -> Iterator[ast.AST]:
    for operator in COMPARISONS.get(type(node.ops[0]), ()):
        yield _with(node, ops=[operator(), *node.ops[1:]])


def _of_constant(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int | float):
        for value in (node.value + 1, node.value - 1, 0):
            yield ast.Constant(value)


def _of_unary(node: ast.UnaryOp) -> Iterator[ast.AST]:
    yield node.operand


def _of_call(node: ast.Call) -> Iterator[ast.AST]:
    for index, argument in enumerate(node.args):
        yield _with(node, args=node.args[:index] + node.args[index + 1 :])
        if not isinstance(argument, ast.Constant | ast.UnaryOp | ast.Starred):
            args = list(node.args)
            args[index] = ast.UnaryOp(ast.USub(), argument)
            yield _with(node, args=args)
    for index in range(len(node.keywords)):
        yield _with(node, keywords=node.keywords[:index] + node.keywords[index + 1 :])
    for index in range(len(node.args) - 1):
        args = list(node.args)
        args[index], args[index + 1] = args[index + 1], args[index]
        yield _with(node, args=args)
    if isinstance(node.func, ast.Attribute):
        yield node.func.value  # x.f(…) -> x
    yield from node.args  # f(x, …) -> x


def _of_attribute(node: ast.Attribute) -> Iterator[ast.AST]:
    if node.attr in ("T", "mT"):
        yield node.value


def _of_index(node: ast.Subscript) -> Iterator[ast.AST]:
    if isinstance(node.slice, ast.Tuple):
        parts = node.slice.elts
        for index in range(len(parts) - 1):
            swapped = list(parts)
            swapped[index], swapped[index + 1] = swapped[index + 1], swapped[index]
            yield _with(node, slice=ast.Tuple(swapped))
        for index in range(len(parts)):
            yield _with(node, slice=ast.Tuple(parts[:index] + parts[index + 1 :]))
    yield node.value


def _of_conditional(node: ast.IfExp | ast.If) -> Iterator[ast.AST]:
    for test in (ast.Constant(True), ast.Constant(False), ast.UnaryOp(ast.Not(), node.test)):
        yield _with(node, test=test)


def _of_statement(node: ast.stmt) -> Iterator[ast.AST]:
    yield ast.Pass()


_KINDS: tuple[tuple[Any, Any], ...] = (
    (ast.BinOp, _of_operation),
    (ast.AugAssign, _of_augmented_assignment),
    (ast.Compare, _of_comparison),
    (ast.Constant, _of_constant),
    (ast.UnaryOp, _of_unary),
    (ast.Call, _of_call),
    (ast.Attribute, _of_attribute),
    (ast.Subscript, _of_index),
    ((ast.IfExp, ast.If), _of_conditional),
    ((ast.Assign, ast.Return, ast.Expr, ast.For, ast.If, ast.While), _of_statement),
)
