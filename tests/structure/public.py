"""What the package offers a reader: the names of each part's ``__all__``, as syntax trees.

The pages of the API show these names, and with a class its public methods.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from tests.structure.source import FILES, PACKAGE, module_name
from tools.notebooks.closure import defining_module

Function = ast.FunctionDef | ast.AsyncFunctionDef
BUILDERS = {"__init__", "__post_init__", "__new__"}  # the docstring of the class describes them


@dataclass(frozen=True)
class Public:
    """A function, a class, or a public method of a class.

    Attributes:
        name: "bottomup.attention.additive.AdditiveAttention.score".
        node: the definition.
        helpers: by name, the private functions of its module and the private methods of its class
            and of the other classes there, from which it may inherit.
    """

    name: str
    node: Function | ast.ClassDef
    helpers: Mapping[str, Function] = field(default_factory=dict)
    is_method: bool = False

    @property
    def doc(self) -> str:
        return ast.get_docstring(self.node) or ""

    @property
    def part(self) -> str:
        return self.name.split(".")[1]

    @property
    def bodies(self) -> list[Function]:
        """The functions whose errors the docstring answers for: a class's are its builders."""
        if not isinstance(self.node, ast.ClassDef):
            return [self.node]
        return [method for method in methods(self.node) if method.name in BUILDERS]

    @property
    def arguments(self) -> list[ast.arg]:
        """What a caller passes: of a class, the arguments of ``__init__``."""
        functions = [body for body in self.bodies if body.name != "__post_init__"]
        arguments = [
            argument
            for function in functions
            for argument in (
                *function.args.posonlyargs,
                *function.args.args,
                *([function.args.vararg] if function.args.vararg else []),
                *function.args.kwonlyargs,
                *([function.args.kwarg] if function.args.kwarg else []),
            )
        ]
        return [argument for argument in arguments if argument.arg not in ("self", "cls")]

    @property
    def fields(self) -> list[ast.AnnAssign]:
        """The annotated names in the body of a class."""
        body = self.node.body if isinstance(self.node, ast.ClassDef) else []
        return [node for node in body if isinstance(node, ast.AnnAssign)]


def methods(node: ast.ClassDef) -> list[Function]:
    return [inner for inner in node.body if isinstance(inner, Function)]


def private(functions: list[Function]) -> dict[str, Function]:
    return {function.name: function for function in functions if function.name.startswith("_")}


def definitions(module: str, tree: ast.Module, name: str) -> Iterator[Public]:
    """Yield what a module defines under a name: a function, or a class and its public methods."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    helpers = private([node for node in tree.body if isinstance(node, Function)])
    inherited = private([method for node in classes for method in methods(node)])
    for node in tree.body:
        if isinstance(node, Function) and node.name == name:
            yield Public(f"{module}.{name}", node, helpers)
        elif isinstance(node, ast.ClassDef) and node.name == name:
            own = {**helpers, **inherited, **private(methods(node))}
            yield Public(f"{module}.{name}", node, own)
            for method in methods(node):
                if not method.name.startswith("_"):
                    yield Public(f"{module}.{name}.{method.name}", method, own, is_method=True)


def offered(tree: ast.Module) -> list[str]:
    """Return the names of ``__all__``; without one, every public function and class."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    kinds = (*Function.__args__, ast.ClassDef)
    return [node.name for node in tree.body if isinstance(node, kinds) and node.name[0] != "_"]


@cache
def everything() -> dict[str, Public]:
    """Return what every part offers, by name: its folder's ``__all__``, or the lone module's."""
    found = {}
    for path in FILES:
        module = module_name(path)
        if module != "bottomup" and (path.name == "__init__.py" or module.count(".") == 1):
            for name in offered(PACKAGE.tree(module)):
                home = defining_module(PACKAGE, module, name)
                found |= {item.name: item for item in definitions(home, PACKAGE.tree(home), name)}
    return found
