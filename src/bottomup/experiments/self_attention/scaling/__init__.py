"""Chapter 02: what the scale of the scores does to training."""
