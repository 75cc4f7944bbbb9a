"""A small hand-out, made once, and a class that hands it in."""

import json
from datetime import date
from pathlib import Path

import pytest

from bottomup.classroom import commands, notebook

SLUGS = ["causal-mask", "stable-softmax"]


@pytest.fixture(scope="session")
def handed_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handed_out")
    commands.hand_out(SLUGS, folder, day=date(2026, 3, 1), chapters=notebook.CHAPTERS)
    return folder


@pytest.fixture
def hand_in(handed_out: Path, tmp_path: Path):
    """Return what writes a student's notebook: the one handed out, with stubs filled in."""

    def write(name: str, *more: str, **answers: str) -> None:
        made = json.loads((handed_out / commands.NOTEBOOK).read_text("utf-8"))
        for cell in made["cells"]:
            for function, source in answers.items():
                if cell["source"].startswith(f"def {function}("):
                    cell["source"] = source
        made["cells"] += [{"cell_type": "code", "source": source} for source in more]
        path = tmp_path / "handed_in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(made), "utf-8")

    return write
