"""Pack everything that a check in the page loads, into a folder of the site.

What was made is kept below .venv by a digest of what it is made from: a build of the site in which
nothing of that has changed copies it.
"""

import gzip
import hashlib
import json
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

from bottomup import i18n
from bottomup.exercises.engine.registry import CHAPTERS, ROOM, places
from tools.notebooks.paths import ROOT
from tools.page import contents, known, licences
from tools.page.contents import HERE, Files
from tools.page.packages import CACHE, environment, node_modules, program

TOOLS = Path(__file__).parent
MADE = ROOT / "_build" / "answer_here"  # whence the build of the site copies it
INTERPRETER = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
LOCK = "pyodide-lock.json"
FIRST = (*INTERPRETER, LOCK, "worker.js", "python_stdlib.zip", "package.zip", "smalltorch.zip")
LANGUAGES = ("ko",)
MINIFIED = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=eof")


def build(to: Path = MADE) -> bool:
    """Make the files that a check in the page loads; say whether they could be made."""
    packages = node_modules()
    if packages is None:
        return False
    kept = CACHE / "built" / digest()
    with FileLock(CACHE / "lock"):
        if not kept.exists():
            shutil.rmtree(kept.parent, ignore_errors=True)
            with TemporaryDirectory(dir=CACHE) as folder:
                make(packages, Path(folder))
                kept.parent.mkdir()
                Path(folder, "built").rename(kept)
    if to.exists():
        shutil.rmtree(to)
    shutil.copytree(kept, to)
    return True


def make(packages: Path, folder: Path) -> None:
    """Make them in ``built``, a part of a folder."""
    source, built = folder / "source", folder / "built"
    for name, files in archives().items():
        write_archive(source / name, files)
    pyodide = packages / "pyodide"
    run("node", "--no-warnings", TOOLS / "compile.mjs", pyodide, folder)
    for name in INTERPRETER:
        shutil.copy(pyodide / name, built)
    lock = json.loads((pyodide / LOCK).read_text("utf-8"))
    built.joinpath(LOCK).write_text(json.dumps(lock | {"packages": {}}), "utf-8")
    shutil.copy(HERE / "worker.js", built)
    for language in LANGUAGES:
        said = contents.translated(language)
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        built.joinpath(f"{language}.json").write_text(text, "utf-8")
    if (editor := HERE / "editor.js").exists():
        bundle(packages, editor, built / editor.name)
    built.joinpath("answer-licences.txt").write_text(licences.text(packages), "utf-8")
    built.joinpath("sizes.json").write_text(json.dumps(sizes(built)), "utf-8")


def archives() -> dict[str, Files]:
    """Return what goes into each archive."""
    found = {"package.zip": contents.package(), "smalltorch.zip": contents.small_torch()}
    outcomes = known.outcomes()
    for folder in CHAPTERS:
        found[f"chapter/{folder}.zip"] = contents.chapter(folder) | {
            f"outcomes/{slug}": outcomes[slug]
            for slug, place in places().items()
            if place == folder and slug in outcomes
        }
    return found


def write_archive(path: Path, files: Files) -> None:
    """Write files into an archive."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def bundle(packages: Path, source: Path, target: Path) -> None:
    """Join a script and what it imports into one file.

    esbuild looks for packages above the script, where there are none, and then in NODE_PATH.
    """
    esbuild = packages / "esbuild" / "bin" / "esbuild"
    run("node", esbuild, source, f"--outfile={target}", *MINIFIED, NODE_PATH=str(packages))


def run(name: str, *arguments: str | Path, **variables: str) -> None:
    """Run a program of node's; what it says is shown if it fails."""
    done = subprocess.run(
        [program(name), *map(str, arguments)],
        env=environment() | variables, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        said = (done.stdout + done.stderr)[-2000:]
        raise RuntimeError(f"{name} {arguments[0]}: {said}")


def sizes(built: Path) -> dict[str, object]:
    """Return the bytes of each file, and how many of them travel, packed by the server."""
    files = [path for path in sorted(built.rglob("*")) if path.is_file()]
    packed = {path.relative_to(built).as_posix(): on_the_wire(path) for path in files}
    return {
        "first": sum(packed[name] for name in FIRST),
        "editor": packed.get("editor.js", 0),
        "chapter": {folder: packed[f"chapter/{folder}.zip"] for folder in CHAPTERS},
        "language": {language: packed[f"{language}.json"] for language in LANGUAGES},
        "files": {path.relative_to(built).as_posix(): path.stat().st_size for path in files},
    }


def on_the_wire(path: Path) -> int:
    """Return the bytes of a file as a server sends it."""
    return len(gzip.compress(path.read_bytes(), 6))


def digest() -> str:
    """Return a digest of all that is packed and of what packs it."""
    made = hashlib.sha256()
    for path in inputs():
        made.update(path.relative_to(ROOT).as_posix().encode())
        made.update(path.read_bytes())
    imports = [contents.imported_above(folder) for folder in CHAPTERS]  # of the notebooks no more
    made.update(json.dumps(imports).encode())
    return made.hexdigest()[:16]


def inputs() -> Iterator[Path]:
    """Yield the files that what is made depends on."""
    package = [path for module in contents.modules() if (path := contents.PACKAGE.file(module))]
    folders = [HERE, TOOLS, ROOM, i18n.LOCALE_DIR]
    found = {path for folder in folders for path in folder.rglob("*.*") if path.suffix != ".pyc"}
    small = contents.small_torch_files()
    yield from sorted({*found, *package, *small, ROOT / "pyproject.toml"})
