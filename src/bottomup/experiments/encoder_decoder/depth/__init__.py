"""Chapter 05: depth, norms, warm-up and skips."""
