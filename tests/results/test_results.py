import json
import re
from dataclasses import asdict
from functools import cache
from pathlib import Path

import nbformat
import pytest

from bottomup import experiments, results
from bottomup.experiments.engine import register
from bottomup.experiments.engine.claim import MIN_SEEDS, ResampledAbove
from bottomup.experiments.engine.record import to_json
from tools.notebooks.paths import ROOT, all_chapters

FOLDER = ROOT / "src" / "bottomup" / "results"
NAMES = results.available()


@cache
def headings(chapter: str) -> set[str]:
    """The headings of a chapter, without their numbers."""
    (path,) = [path for path in all_chapters() if path.stem.startswith(f"{chapter}_")]
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return {re.sub(r"^\d+\.\s*", "", title) for title in re.findall(r"^#{1,4} (.+)$", text, re.M)}


@pytest.mark.parametrize("name", NAMES)
def test_a_committed_record_is_whole_and_formatted(name: str):
    record = results.load(name)
    assert (FOLDER / name).read_text(encoding="utf-8") == to_json(record)
    assert record.experiment in experiments.NAMES
    rules = {type(claim.rule) for claim in results.claims(record)}
    assert len(record.seeds) >= (1 if rules <= {ResampledAbove} else MIN_SEEDS)  # or no claim


@pytest.mark.parametrize("name", NAMES)
def test_a_committed_record_has_the_configuration_that_its_preset_names(name: str):
    record = results.load(name)
    experiment = experiments.experiment(record.experiment)
    config = experiment.preset(record.preset)
    assert record.config == json.loads(json.dumps(asdict(config)))
    variants = list(experiment.variants(config))
    assert [list(run["metrics"]) for run in record.runs] == [variants] * len(record.seeds)


def test_every_array_file_belongs_to_a_record():
    stems = {Path(name).stem for name in NAMES if results.load(name).arrays}
    assert {path.stem for path in FOLDER.glob("*.npz")} == stems


def test_the_ledger_holds_every_claim_of_every_record_once_and_in_order():
    claims = results.ledger()
    expected = [claim for name in NAMES for claim in results.claims(results.load(name))]
    assert {claim.id for claim in claims} == {claim.id for claim in expected}
    assert len(claims) == len(expected) == len({claim.id for claim in claims})
    assert claims == sorted(claims, key=lambda claim: claim.place)


def test_every_experiment_has_a_committed_record():
    """Or is announced in the register: its claims stand there, and nothing has been measured."""
    recorded = {results.load(name).experiment for name in NAMES}
    announced = {
        name.split("/")[0]
        for name, lines in register.registered().items()
        if all(line.verdict is None for line in lines)
    }
    assert recorded | announced == set(experiments.NAMES)
    assert not recorded & announced


def test_a_claim_names_a_record_and_a_section_that_exist():
    claims, records = results.ledger(), {results.load(name).name for name in NAMES}
    assert [claim.id for claim in claims if claim.record not in records] == []
    assert [claim.id for claim in claims if claim.section not in headings(claim.chapter)] == []
    assert [claim.id for claim in claims if len(claim.values) < MIN_SEEDS] == []
    papers = [claim for claim in claims if claim.kind is experiments.Kind.PAPER]
    assert [claim.id for claim in papers if claim.source.startswith("no paper")] == []
    identities = [claim for claim in claims if claim.kind is experiments.Kind.IDENTITY]
    assert [claim.id for claim in identities if claim.verdict != "holds"] == []  # the code is wrong


def test_a_repetition_leads_to_a_claim_that_is_none():
    claims = {claim.id: claim for claim in results.ledger()}
    for claim in claims.values():
        asked = [claim.id]
        while (repeats := claims[asked[-1]].repeats) is not None:
            assert repeats not in asked
            asked.append(repeats)
        assert len(asked) == 1 or claims[asked[-1]].kind is not experiments.Kind.IDENTITY


def test_a_record_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ValueError, match="attention.json.*got 'nothing.json'"):
        results.load("nothing.json")
