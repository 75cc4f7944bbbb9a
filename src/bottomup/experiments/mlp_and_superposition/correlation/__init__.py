"""Chapter 04: how features lie that occur together, or never together."""
