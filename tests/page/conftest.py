import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.page.build import build
from tools.page.packages import environment, program

HERE = Path(__file__).parent

Asked = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what a page loads."""
    folder = tmp_path_factory.mktemp("site") / "answer_here"
    if not build(folder):
        pytest.skip("npm could not fetch the page's interpreter")
    return folder


@pytest.fixture
def messages(site: Path) -> Asked:
    """Return what a new worker says to asks, each by its fields; without how far it has loaded."""

    def asked(*asks: dict[str, Any]) -> list[dict[str, Any]]:
        lines = [json.dumps({"id": number, **ask}) for number, ask in enumerate(asks)]
        done = subprocess.run(
            [program("node"), HERE / "ask.mjs", site],
            input="\n".join(lines),
            env=environment(),
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        lines = done.stdout.splitlines()  # the interpreter's own words are among them
        found = [json.loads(line) for line in lines if line.startswith('{"')]
        return [each for each in found if each.get("state") != "loading"]

    return asked


@pytest.fixture
def reports(messages: Asked) -> Asked:
    """Return the reports on asks."""

    def asked(*asks: dict[str, Any]) -> list[dict[str, Any]]:
        found = messages(*asks)
        assert not [each for each in found if "failed" in each]
        return [each["report"] for each in found if "report" in each]

    return asked
