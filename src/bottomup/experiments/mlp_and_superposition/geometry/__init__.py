"""Chapter 04: the geometry of toy models of superposition."""
