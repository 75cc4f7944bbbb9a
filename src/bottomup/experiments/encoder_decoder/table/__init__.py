"""Chapter 05: the Transformer paper's table 3 in small."""
