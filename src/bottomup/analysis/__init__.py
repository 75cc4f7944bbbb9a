"""Analysis: what a trained model's vectors hold."""

from bottomup.analysis.linear_readout import (
    linear_readout_margin,
    margin_by_share,
    one_head_margin,
)
from bottomup.analysis.probes import ProbeResult, linear_probe

__all__ = [
    "ProbeResult",
    "linear_probe",
    "linear_readout_margin",
    "margin_by_share",
    "one_head_margin",
]
