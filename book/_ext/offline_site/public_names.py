"""Link types in signatures to the public name under which the API pages document them.

Autodoc finds ``bottomup.data.batching.Batch``, where the class is defined; the API page documents
``bottomup.data.Batch``, which readers import.
"""

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PACKAGE = "bottomup"


def public_names(target: str) -> list[str]:
    """Return shorter names under which a type may be documented, the closest first.

    ``bottomup.data.batching.Batch`` gives ``bottomup.data.Batch``; other packages give nothing.
    """
    *modules, name = target.split(".")
    if not modules or modules[0] != PACKAGE:
        return []
    return [".".join([*modules[:length], name]) for length in range(len(modules) - 1, 1, -1)]


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.TextElement
) -> nodes.reference | None:
    """Resolve a Python reference through its public name (handler of ``missing-reference``)."""
    if node.get("refdomain") != "py":
        return None
    domain, kind = env.get_domain("py"), node["reftype"]
    for name in public_names(node["reftarget"]):
        found = domain.resolve_xref(env, node["refdoc"], app.builder, kind, name, node, contnode)
        if found is not None:
            return found
    return None
