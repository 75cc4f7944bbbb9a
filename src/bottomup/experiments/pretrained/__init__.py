"""Chapter 12: a model that somebody else trained."""
