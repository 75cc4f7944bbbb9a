"""What the page passes on that others wrote: names, versions and licences."""

import json
from pathlib import Path

TITLE = """What the answers in the page are made with

The course's own code is under the licence of its repository. These parts are others'.
"""
FOR_NODE = ("ws",)  # Pyodide asks for it there alone
# Compiled into the interpreter, by its own build files.
BUNDLED = """Its source is at https://github.com/pyodide/pyodide. It holds CPython 3.14 (PSF-2.0),
compiled with Emscripten (MIT, NCSA), which brings parts of musl (MIT) and compiler-rt (Apache-2.0
WITH LLVM-exception); linked with zlib (Zlib), bzip2 (bzip2-1.0.6), XZ Utils' liblzma (0BSD), zstd
(BSD-3-Clause), SQLite (public domain), libffi (MIT), Expat (MIT), mpdecimal (BSD-2-Clause), HACL*
(Apache-2.0), OpenSSL (Apache-2.0)."""


def text(packages: Path) -> str:
    """Return the list, with the text of each licence that a package holds."""
    lock = json.loads(packages.parent.joinpath("package-lock.json").read_text("utf-8"))
    parts = [TITLE]
    for place, about in sorted(lock["packages"].items()):
        folder = packages.parent / place
        if not place or "license" not in about or not folder.is_dir():
            continue
        name = place.removeprefix("node_modules/")
        if about.get("dev") or name in FOR_NODE or name.startswith("@types/"):
            continue  # esbuild packs, and is not passed on
        parts.append(f"{'=' * 72}\n{name} {about['version']}: {about['license']}\n")
        if name == "pyodide":
            parts.append(BUNDLED + "\n")
        parts += [path.read_text("utf-8") for path in sorted(folder.glob("LICENSE*"))]
    return "\n".join(parts)
