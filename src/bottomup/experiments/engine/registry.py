"""Every experiment by its name, loaded when it is asked for.

An experiment's name is its room: ``decoding_search`` lies in ``decoding/search``, as `experiment`
(what is measured) and `claims` (what a record decides).
"""

from importlib import import_module
from typing import TYPE_CHECKING

from bottomup.checks import check_choice
from bottomup.experiments.engine import entries
from bottomup.experiments.engine.claim import Claim
from bottomup.experiments.engine.record import Record

if TYPE_CHECKING:  # the runner trains: nothing of it is needed to read a record
    from bottomup.experiments.engine.runner import Experiment

# in the order of the book
ROOMS = (
    "attention",
    "attention.reversal",
    "attention.lengths",
    "attention.turned",
    "attention.converged",
    "local_and_hard_attention",
    "local_and_hard_attention.gradients",
    "local_and_hard_attention.alignment",
    "self_attention",
    "self_attention.scaling",
    "intra_attention",
    "multi_head_attention",
    "multi_head_attention.retrieval",
    "multi_head_attention.readings",
    "mlp_and_superposition",
    "mlp_and_superposition.geometry",
    "mlp_and_superposition.correlation",
    "mlp_and_superposition.shapes",
    "mlp_and_superposition.jumps",
    "mlp_and_superposition.computing",
    "mlp_and_superposition.autoencoder",
    "encoder_decoder",
    "encoder_decoder.depth",
    "encoder_decoder.table",
    "encoder_decoder.lengths",
    "decoding",
    "decoding.recipes",
    "decoding.search",
    "sparse_transformers",
    "sparse_transformers.strides",
    "sparse_transformers.training",
    "sparse_transformers.depth",
    "sparse_transformers.heads",
    "representation_analysis",
    "representation_analysis.settings",
    "representation_analysis.docstrings",
    "representation_analysis.steps",
    "representation_analysis.direction",
    "representation_analysis.captions",
    "representation_analysis.context",
    "circuits",
    "circuits.translator",
    "circuits.edges",
    "after_2017.reading",
    "after_2017.orders",
    "after_2017.memory",
    "decoder_of_today",
    "decoder_of_today.distances",
    "clinic",
    "clinic.ward",
)
NAMES = {room.replace(".", "_"): f"bottomup.experiments.{room}" for room in ROOMS}


def experiment(name: str) -> "Experiment":
    """Return an experiment by its name, such as ``"decoding_search"``."""
    check_choice("name", name, NAMES)
    return import_module(f"{NAMES[name]}.experiment").EXPERIMENT


def claims(record: Record) -> list[Claim]:
    """Return what a record decides: the claims of the experiment that made it.

    Nothing that trains is imported for it.
    """
    check_choice("record.experiment", record.experiment, NAMES)
    return entries.claims(record, NAMES[record.experiment], entry)


def entry(number: str) -> entries.Entry:
    """Return the entry of a claim by its number."""
    found = (each for room in NAMES.values() for each in entries.entries(room))
    return next(each for each in found if each["id"] == number)
