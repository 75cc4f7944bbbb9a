"""Every experiment by its name."""

from bottomup.experiments import (
    attention,
    attention_reversal,
    decoding,
    decoding_search,
    encoder_decoder,
    encoder_decoder_depth,
    encoder_decoder_table,
    local_and_hard_attention,
    local_and_hard_attention_gradients,
    mlp_and_superposition,
    mlp_and_superposition_autoencoder,
    mlp_and_superposition_geometry,
    multi_head_attention,
    multi_head_attention_retrieval,
    representation_analysis,
    representation_analysis_docstrings,
    representation_analysis_settings,
    representation_analysis_steps,
    self_attention,
    sparse_transformers,
    sparse_transformers_strides,
    sparse_transformers_training,
)
from bottomup.experiments.runner import Experiment

ALL = (
    attention.EXPERIMENT,
    attention_reversal.EXPERIMENT,
    local_and_hard_attention.EXPERIMENT,
    local_and_hard_attention_gradients.EXPERIMENT,
    self_attention.EXPERIMENT,
    multi_head_attention.EXPERIMENT,
    multi_head_attention_retrieval.EXPERIMENT,
    mlp_and_superposition.EXPERIMENT,
    mlp_and_superposition_geometry.EXPERIMENT,
    mlp_and_superposition_autoencoder.EXPERIMENT,
    encoder_decoder.EXPERIMENT,
    encoder_decoder_depth.EXPERIMENT,
    encoder_decoder_table.EXPERIMENT,
    decoding.EXPERIMENT,
    decoding_search.EXPERIMENT,
    sparse_transformers.EXPERIMENT,
    sparse_transformers_strides.EXPERIMENT,
    sparse_transformers_training.EXPERIMENT,
    representation_analysis.EXPERIMENT,
    representation_analysis_settings.EXPERIMENT,
    representation_analysis_docstrings.EXPERIMENT,
    representation_analysis_steps.EXPERIMENT,
)

EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}
