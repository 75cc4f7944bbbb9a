"""All modules as node reads them, and the pure functions that the figures share."""

from pathlib import Path

from bottomup.explorables.shared import bundle
from tests.explorables import node
from tests.explorables.shared.test_bundle import SCRIPTS


def test_pure_functions(tmp_path: Path):
    node.check(Path(__file__).with_name("shared.test.js"), None, tmp_path)


def test_every_module_loads_and_the_bundler_sees_its_exports(tmp_path: Path):
    given = {script: bundle.exports(script) for script in SCRIPTS}
    node.check(Path(__file__).with_name("modules.test.js"), given, tmp_path)
