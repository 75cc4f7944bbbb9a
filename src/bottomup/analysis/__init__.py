"""Analysis: what a trained model's vectors hold."""

from bottomup.analysis.ablation import ablated
from bottomup.analysis.feature_geometry import (
    PHASES,
    antipodal_pairs,
    dimensions_per_feature,
    expected_phase,
    feature_dimensions,
    interference,
    is_pentagon,
    mean_max_cosine,
    random_mean_max_cosine,
    represented,
    two_feature_phase,
)
from bottomup.analysis.frozen_weights import frozen_weights
from bottomup.analysis.journey import Bearings, Journey, Station, Track, bearings, journey
from bottomup.analysis.linear_readout import (
    linear_readout_margin,
    margin_by_share,
    one_head_margin,
)
from bottomup.analysis.probes import ProbeResult, linear_probe
from bottomup.analysis.reachability import reached, reached_share

__all__ = [
    "PHASES",
    "Bearings",
    "Journey",
    "ProbeResult",
    "Station",
    "Track",
    "ablated",
    "antipodal_pairs",
    "bearings",
    "dimensions_per_feature",
    "expected_phase",
    "feature_dimensions",
    "frozen_weights",
    "interference",
    "is_pentagon",
    "journey",
    "linear_probe",
    "linear_readout_margin",
    "margin_by_share",
    "mean_max_cosine",
    "one_head_margin",
    "random_mean_max_cosine",
    "reached",
    "reached_share",
    "represented",
    "two_feature_phase",
]
