"""Chapter 04: facts in an MLP."""
