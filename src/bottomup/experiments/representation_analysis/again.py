"""Chapter 08: claims of the main record, asked again of the networks of another experiment."""

from collections.abc import Mapping
from dataclasses import replace

from bottomup.experiments.engine import entries
from bottomup.experiments.engine.entries import Entry, Filled, Values
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis import quantities


def main_claims() -> Mapping[str, Entry]:
    """Return the entries of the main record by number, in their order."""
    return {entry["id"]: entry for entry in entries.entries(__package__)}


def networks_of(record: Record, variant: str) -> Filled:
    """Return the networks of a variant as the main experiment would have recorded them."""
    runs = [{"metrics": {quantities.NETWORKS: run["metrics"][variant]}} for run in record.runs]
    own = replace(record, config=record.config["base"], runs=tuple(runs))
    return Filled(own, quantities)


def again(record: Record, variant: str, claim: str) -> Values:
    """Return the number of a claim of the main record, of a variant's networks, in its unit."""
    networks = networks_of(record, variant)
    return networks.values(main_claims()[claim]["values"].format_map(networks.names))
