"""What is wrong with the files of claims, each with its line.

A file has to follow ``claims.schema.json``, an id stands once in all of them, and an entry says all
that a claim needs, by itself, by its defaults, or by the claim that it repeats.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from bottomup.experiments.engine.claim import rule
from bottomup.experiments.engine.entries import FILE, LOADER
from tools.notebooks.paths import ROOT, SOURCE

FOLDER = SOURCE / "bottomup" / "experiments"
SCHEMA = FOLDER / "claims.schema.json"
NEEDED = ("kind", "sentence", "source", "paper", "measured", "rule", "values", "section")


def paths() -> list[Path]:
    """Return the files."""
    return sorted(FOLDER.rglob(FILE))


def wrong(files: Mapping[Path, str] | None = None) -> list[str]:
    """Return one sentence for each fault, ``path:line: what``.

    Args:
        files: their texts, by default as they lie in the package.
    """
    texts = files or {path: path.read_text(encoding="utf-8") for path in paths()}
    found: list[str] = []
    entries: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    for path, text in texts.items():
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        try:
            node = yaml.compose(text, LOADER)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            found.append(f"{name}:{line}: no YAML: {error.problem}")
            continue
        content = yaml.load(text, LOADER)
        faults = [f"{name}:{line}: {said}" for line, said in _against_schema(content, node)]
        found += [f"{name}:{line}: {said}" for line, said in _twice(node)] + faults
        if not faults:
            for index, entry in enumerate(content["claims"]):
                place = f"{name}:{_line(node, ['claims', index])}"
                if entry["id"] in entries:
                    found.append(f"{place}: {entry['id']} stands at {places[entry['id']]} too")
                places.setdefault(entry["id"], place)
                entries.setdefault(entry["id"], {**content.get("defaults", {}), **entry})
    for number, entry in entries.items():
        found += [f"{places[number]}: {said}" for said in _incomplete(entry, entries)]
    return found


def _against_schema(content: Any, node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for error in jsonschema.Draft202012Validator(schema).iter_errors(content):
        yield _line(node, list(error.absolute_path)), error.message


def _line(node: yaml.Node | None, path: list[Any]) -> int:
    """Return the line on which the value under a path begins."""
    for step in path:
        if isinstance(node, yaml.MappingNode):
            node = next(value for key, value in node.value if key.value == step)
        elif isinstance(node, yaml.SequenceNode):
            node = node.value[step]
    return node.start_mark.line + 1 if node else 1


def _twice(node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    """Yield keys that stand twice in one entry; a reader of YAML keeps the last in silence."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield key.start_mark.line + 1, f"{key.value} stands twice"
            seen.add(key.value)
            yield from _twice(value)
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _twice(each)


def _incomplete(entry: Mapping[str, Any], entries: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an entry lacks, and what in it fits together badly."""
    repeated: Mapping[str, Any] = {}
    if (entry.get("kind") == "repetition") != ("repeats" in entry):
        yield f"{entry['id']}: expected `repeats` for a repetition and for nothing else"
    elif "repeats" in entry:
        repeated = entries.get(entry["repeats"], {})
        if not repeated:
            yield f"{entry['id']}: repeats {entry['repeats']}, which is no claim"
    whole = {**repeated, **entry}
    if lacking := [name for name in NEEDED if name not in whole]:
        yield f"{entry['id']}: expected also {', '.join(lacking)}"
    elif "{" not in whole["rule"]:
        try:
            rule(whole["rule"])
        except ValueError as error:
            yield f"{entry['id']}: {error}"
