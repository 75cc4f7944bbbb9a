"""Chapter 03: retrieval of pairs."""
