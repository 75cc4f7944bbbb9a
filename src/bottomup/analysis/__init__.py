"""Analysis: what a trained model's vectors hold."""

from bottomup.analysis.probes import ProbeResult, linear_probe

__all__ = ["ProbeResult", "linear_probe"]
